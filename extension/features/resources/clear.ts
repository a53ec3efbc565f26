import * as vscode from "vscode";
import { formatSize } from "./amounts.ts";
import type { Parts } from "./parts.ts";

/** Removes the fetched snapshots after a confirmation: to fetch them again takes time and a network. */
export async function clearFetched({ server, changes, tree }: Parts): Promise<void> {
  const [listings, { resourcesDirectory }] = await Promise.all([tree.load(), server.request("getConfig", {})]);
  const fetched = listings.filter(({ fetchedAt }) => fetchedAt !== null);
  const sizeBytes = fetched.reduce((sum, listing) => sum + (listing.sizeBytes ?? 0), 0);
  const remove = vscode.l10n.t("Remove");
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t(
      "Remove the fetched copies of all resources ({0}, {1})?",
      fetched.length,
      formatSize(sizeBytes, vscode.env.language),
    ),
    {
      modal: true,
      detail: vscode.l10n.t(
        "They are in {0}, with those of resources that are no longer configured. The configuration, local folders and installed packages stay; the next question fetches what it needs.",
        resourcesDirectory,
      ),
    },
    remove,
  );
  if (chosen !== remove) return;
  const { cleared } = await server.request("clear", {});
  changes.fire("resources");
  void vscode.window.showInformationMessage(vscode.l10n.t("Fetched copies removed: {0}.", cleared));
}
