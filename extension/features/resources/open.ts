import * as vscode from "vscode";
import type { ResourceListing } from "../../../server/protocol/resource.ts";
import { hostPage } from "./host-page.ts";

/** Shows a local folder where it lies: in the explorer where it is part of the workspace, else in the system's. */
export async function revealResource({ path }: ResourceListing): Promise<void> {
  if (path === null) return;
  const uri = vscode.Uri.file(path);
  const isOpen = vscode.workspace.getWorkspaceFolder(uri) !== undefined;
  await vscode.commands.executeCommand(isOpen ? "revealInExplorer" : "revealFileInOS", uri);
}

/** Opens a repository's page in the browser. */
export async function openInBrowser({ url, branch }: ResourceListing): Promise<void> {
  if (url !== null) await vscode.env.openExternal(vscode.Uri.parse(hostPage(url, branch), true));
}

/** Copies a resource's name. */
export async function copyName({ name }: ResourceListing): Promise<void> {
  await vscode.env.clipboard.writeText(name);
  vscode.window.setStatusBarMessage(vscode.l10n.t("Copied {0}", name), 3000);
}
