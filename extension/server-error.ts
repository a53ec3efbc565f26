import * as vscode from "vscode";
import type { ErrorBody } from "../server/protocol/error.ts";
import type { ErrorTag } from "../server/protocol/error-tags.ts";
import { sentence } from "./sentence.ts";
import { type WayOut, waysOut } from "./ways-out.ts";

/** What the server answered instead of a result, or that it is gone (`ServerFailed`). */
export class ServerError extends Error {
  readonly tag: string;
  readonly hint: string | undefined;
  /** The user has seen a message already. */
  readonly isReported: boolean;

  constructor({ error, tag, hint }: ErrorBody, { isReported = false }: { isReported?: boolean } = {}) {
    super(error);
    this.name = "ServerError";
    this.tag = tag;
    this.hint = hint;
    this.isReported = isReported;
  }
}

/**
 * Tells what went wrong, what to do, and offers it: one notification. Nothing is shown of what was cancelled, nor of
 * what the person knows. Use it for what a person has started; a view shows its failures in itself.
 */
export async function showError(error: unknown): Promise<void> {
  const { tag, hint, message, isReported } = toServerError(error);
  if (isReported || tag === cancelledTag) return;
  const actions = waysOut(tag).map((command): Action => ({ title: titleOf(command), command }));
  const text = hint === undefined ? sentence(message) : `${sentence(message)} ${sentence(hint)}`;
  const chosen = await vscode.window.showErrorMessage(text, ...actions);
  if (chosen !== undefined) await vscode.commands.executeCommand(`citewell.${chosen.command}`);
}

/** Any thrown value as a ServerError; what is not one is `Internal`. */
export function toServerError(error: unknown): ServerError {
  if (isServerError(error)) return error;
  return new ServerError({ error: error instanceof Error ? error.message : String(error), tag: "Internal" });
}

/** Whether an error is a cancellation. */
export function isCancelled(error: unknown): boolean {
  return isServerError(error) && error.tag === cancelledTag;
}

/** Checks the shape: each bundle of the extension has a class of its own. */
export function isServerError(error: unknown): error is ServerError {
  return error instanceof Error && error.name === "ServerError" && "tag" in error;
}

const cancelledTag: ErrorTag = "Cancelled";

interface Action extends vscode.MessageItem {
  command: WayOut;
}

function titleOf(command: WayOut): string {
  switch (command) {
    case "addResource":
      return vscode.l10n.t("Add Resource…");
    case "chooseModel":
      return vscode.l10n.t("Choose Model…");
    case "chooseResources":
      return vscode.l10n.t("Choose Resources…");
    case "clear":
      return vscode.l10n.t("Delete Downloaded Copies");
    case "connectProvider":
      return vscode.l10n.t("Connect…");
    case "openConfig":
      return vscode.l10n.t("Open Configuration");
    case "restartServer":
      return vscode.l10n.t("Restart Server");
    case "showServerLog":
      return vscode.l10n.t("Show Log");
  }
}
