import * as vscode from "vscode";
import { formatCited, formatLines } from "../../../server/protocol/citation.ts";
import {
  type RecheckedCitation,
  type RecheckState,
  stillHolds,
  type ThreadRecheck,
} from "../../../server/protocol/threads.ts";
import type { Citations, Server } from "../../context.ts";

/**
 * Checks the citations of a conversation again, reports the result, and opens the chosen one: at its current place, else
 * as it was cited.
 * @throws ServerError
 */
export async function recheckThread(
  thread: string,
  { server, open }: { server: Server; open: Citations["open"] },
): Promise<void> {
  const progress = {
    location: vscode.ProgressLocation.Notification,
    title: vscode.l10n.t("Checking citations again"),
    cancellable: true,
  };
  const result = await vscode.window.withProgress(progress, (_progress, token) =>
    server.request("recheckThread", { id: thread }, { token }),
  );
  if (result.citations.length === 0) {
    await vscode.window.showInformationMessage(
      vscode.l10n.t("This conversation has no citations that can be checked again."),
    );
    return;
  }
  const picked = await pick(result);
  if (picked === undefined) return;
  // The list gave the focus back, perhaps to the editor that is about to show the user's own file.
  await vscode.commands.executeCommand("citewell.chat.focus");
  await open(placeOf(picked), { toSide: false });
}

/** The conversation that a command is about: the one it was given, else one that is picked. @throws ServerError */
export async function chooseThread(argument: unknown, { server }: { server: Server }): Promise<string | undefined> {
  const given = idIn(argument);
  if (given !== undefined) return given;
  const { threads } = await server.request("listThreads", {});
  if (threads.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t("No conversations yet."));
    return undefined;
  }
  const items = threads.map(({ id, title, updatedAt }) => ({
    id,
    label: title,
    description: new Date(updatedAt).toLocaleString(vscode.env.language),
  }));
  const title = vscode.l10n.t("Which conversation's citations should be checked again?");
  return (await vscode.window.showQuickPick(items, { title, matchOnDescription: true }))?.id;
}

/** An id, or what has one: a conversation, or the row of the tree that shows it. */
function idIn(argument: unknown): string | undefined {
  if (typeof argument === "string") return argument;
  if (typeof argument !== "object" || argument === null) return undefined;
  if ("thread" in argument) return idIn(argument.thread);
  return "id" in argument ? idIn(argument.id) : undefined;
}

async function pick({ title, citations }: ThreadRecheck): Promise<RecheckedCitation | undefined> {
  const standing = citations.filter(stillHolds).length;
  const items = citations.map((recheck) => ({ recheck, ...describe(recheck) }));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t("{0} of {1} citations are still valid: {2}", standing, citations.length, title),
    placeHolder: vscode.l10n.t("Open one where it is now, or as it was cited"),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return picked?.recheck;
}

function describe({ citation, state, now, reason, turn }: RecheckedCitation): vscode.QuickPickItem {
  const { icon, words } = looks(state);
  const { resource, commit } = citation;
  const place = `${commit === undefined ? `${resource}:` : ""}${formatCited(citation)}`;
  const isMoved = state === "moved" && now !== undefined;
  const moved = isMoved ? vscode.l10n.t("now {0}", `${now.path}:${formatLines(now)}`) : undefined;
  const question = vscode.l10n.t("question {0}", turn);
  return {
    label: `$(${icon}) ${words}`,
    description: place,
    detail: [question, moved, reason].filter((part) => part !== undefined).join(" · "),
  };
}

function looks(state: RecheckState): { icon: string; words: string } {
  switch (state) {
    case "unchanged":
      return { icon: "pass", words: vscode.l10n.t("unchanged") };
    case "moved":
      return { icon: "arrow-right", words: vscode.l10n.t("moved") };
    case "changed":
      return { icon: "warning", words: vscode.l10n.t("changed") };
    case "gone":
      return { icon: "error", words: vscode.l10n.t("gone") };
    case "unknown":
      return { icon: "question", words: vscode.l10n.t("cannot be checked") };
  }
}

function placeOf({ citation, now, revision }: RecheckedCitation): RecheckedCitation["citation"] {
  return now === undefined || revision === undefined ? citation : { ...citation, ...now, revision };
}
