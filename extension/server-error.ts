import * as vscode from "vscode";
import type { ErrorBody, ErrorTag } from "../server/protocol/error.ts";
import { sentence } from "./sentence.ts";

/** What the server answered instead of a result, or that it is gone (`ServerFailed`). */
export class ServerError extends Error {
  readonly tag: string;
  readonly hint: string | undefined;
  /** The person has been told already; a second message would only annoy. */
  readonly isTold: boolean;

  constructor({ error, tag, hint }: ErrorBody, { isTold = false }: { isTold?: boolean } = {}) {
    super(error);
    this.name = "ServerError";
    this.tag = tag;
    this.hint = hint;
    this.isTold = isTold;
  }
}

/**
 * Tells what went wrong, what to do, and offers it: one notification. Nothing is shown of what was cancelled, nor of
 * what the person knows. For what a person has started; a view shows its failures in itself.
 */
export async function showError(error: unknown): Promise<void> {
  const { tag, hint, message, isTold } = toServerError(error);
  if (isTold || tag === cancelledTag) return;
  const actions = actionsFor(tag);
  const text = hint === undefined ? sentence(message) : `${sentence(message)} ${sentence(hint)}`;
  const chosen = await vscode.window.showErrorMessage(text, ...actions);
  if (chosen !== undefined) await vscode.commands.executeCommand(chosen.command);
}

/** Any thrown value as a ServerError; what is not one is `Internal`. */
export function toServerError(error: unknown): ServerError {
  if (isServerError(error)) return error;
  return new ServerError({ error: error instanceof Error ? error.message : String(error), tag: "Internal" });
}

export function isCancelled(error: unknown): boolean {
  return isServerError(error) && error.tag === cancelledTag;
}

/** By its shape: each bundle of the extension has a class of its own. */
export function isServerError(error: unknown): error is ServerError {
  return error instanceof Error && error.name === "ServerError" && "tag" in error;
}

const cancelledTag: ErrorTag = "Cancelled";

interface Action extends vscode.MessageItem {
  command: string;
}

function actionsFor(tag: string): Action[] {
  switch (tag) {
    case "ProviderNotConnected":
    case "ProviderRefused":
    case "CredentialsInvalid":
      return [connect(), chooseModel()];
    case "ModelNotFound":
    case "ProviderNotFound":
      return [chooseModel()];
    case "ConfigInvalid":
      return [{ title: vscode.l10n.t("Open Configuration"), command: "citewell.openConfig" }];
    case "ServerFailed":
      return [{ title: vscode.l10n.t("Restart Server"), command: "citewell.restartServer" }, showServerLog()];
    case "Internal":
    case "StorageFailed":
    case "RepositoryFailed":
    case "RegistryFailed":
    case "ProviderFailed":
      return [showServerLog()];
    default:
      return [];
  }
}

const connect = (): Action => ({ title: vscode.l10n.t("Connect…"), command: "citewell.connectProvider" });
const chooseModel = (): Action => ({ title: vscode.l10n.t("Choose Model…"), command: "citewell.chooseModel" });
const showServerLog = (): Action => ({ title: vscode.l10n.t("Show Log"), command: "citewell.showServerLog" });
