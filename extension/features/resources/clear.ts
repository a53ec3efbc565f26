import * as vscode from "vscode";
import { formatSize } from "./amounts.ts";
import type { Parts } from "./parts.ts";

/** Deletes the downloaded copies after a confirmation, because downloading them again takes time and a network. */
export async function clearFetched({ server, changes, tree }: Parts): Promise<void> {
  const [listings, { resourcesDirectory }] = await Promise.all([tree.load(), server.request("getConfig", {})]);
  const fetched = listings.filter(({ fetchedAt }) => fetchedAt !== null);
  const sizeBytes = fetched.reduce((sum, listing) => sum + (listing.sizeBytes ?? 0), 0);
  const confirm = vscode.l10n.t("Delete");
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t(
      "Delete the downloaded copies of all resources ({0}, {1})?",
      fetched.length,
      formatSize(sizeBytes, vscode.env.language),
    ),
    {
      modal: true,
      detail: vscode.l10n.t(
        "They are in {0}, together with copies of resources that are no longer configured. Your configuration, local folders and installed packages stay. The next question downloads what it needs.",
        resourcesDirectory,
      ),
    },
    confirm,
  );
  if (chosen !== confirm) return;
  const { cleared } = await server.request("clear", {});
  changes.fire("resources");
  void vscode.window.showInformationMessage(vscode.l10n.t("Downloaded copies deleted: {0}.", cleared));
}
