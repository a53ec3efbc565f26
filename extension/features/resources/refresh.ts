import * as vscode from "vscode";
import { isCancelled, showError, toServerError } from "../../server-error.ts";
import type { Outcome, Refresher } from "./refresher.ts";
import type { ResourceTree } from "./tree.ts";

/** Fetches a resource anew; its row shows how it goes, a message only why it failed. */
export async function refreshOne(name: string, { refresher }: { refresher: Refresher }): Promise<void> {
  const [outcome] = await refresher.refresh([name]);
  if (outcome?.error !== undefined) await showError(outcome.error);
}

/** Fetches anew what can be; one message sums it up. */
export async function refreshAll({ tree, refresher }: { tree: ResourceTree; refresher: Refresher }): Promise<void> {
  const listings = await tree.load();
  const { canRefresh } = await import("./row-text.ts");
  const names = listings.filter(canRefresh).map(({ name }) => name);
  if (names.length === 0) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t("Nothing to refresh: folders are always read as they are."),
    );
    return;
  }
  await showSummary(await refresher.refresh(names));
}

async function showSummary(outcomes: readonly Outcome[]): Promise<void> {
  const failed = outcomes.filter(({ error }) => error !== undefined && !isCancelled(error));
  const stopped = outcomes.filter(({ error }) => isCancelled(error)).length;
  const count = outcomes.length - failed.length - stopped;
  const [first] = failed;
  if (first !== undefined) {
    const reason = toServerError(first.error).message;
    const message =
      failed.length === 1
        ? vscode.l10n.t("Resources refreshed: {0}. {1} failed: {2}", count, first.name, reason)
        : vscode.l10n.t(
            "Resources refreshed: {0}. Failed: {1}, the first of them {2}: {3}",
            count,
            failed.length,
            first.name,
            reason,
          );
    const showLog = vscode.l10n.t("Show Log");
    const chosen = await vscode.window.showWarningMessage(message, showLog);
    if (chosen === showLog) await vscode.commands.executeCommand("citewell.showServerLog");
    return;
  }
  if (outcomes.length === 0 || stopped > 0) return;
  vscode.window.setStatusBarMessage(vscode.l10n.t("Resources refreshed: {0}", count), 5000);
}
