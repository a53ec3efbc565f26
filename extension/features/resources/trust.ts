import * as vscode from "vscode";

/** Whether folders of this computer may be added: in a trusted window, and where there is a file system of its own. */
export function canReadFolders(): boolean {
  return folderRefusal() === undefined;
}

/** Why no folder can be added here, and what can be done about it. */
function folderRefusal(): { message: string; action?: { title: string; command: string } } | undefined {
  if (!vscode.workspace.isTrusted) {
    return {
      message: vscode.l10n.t("Folders can be added once you trust this workspace."),
      action: { title: vscode.l10n.t("Manage Workspace Trust"), command: "citewell.manageTrust" },
    };
  }
  const folders = vscode.workspace.workspaceFolders ?? [];
  const isVirtual = folders.length > 0 && folders.every(({ uri }) => uri.scheme !== "file");
  if (!isVirtual) return undefined;
  return {
    message: vscode.l10n.t("This workspace is not on a disk that Citewell can read, so that no folder can be added."),
  };
}

/** Tells the person, where folders cannot be added; whether they can. */
export async function requireFolders(): Promise<boolean> {
  const refusal = folderRefusal();
  if (refusal === undefined) return true;
  const { message, action } = refusal;
  const chosen = await vscode.window.showWarningMessage(message, ...(action === undefined ? [] : [action]));
  if (chosen !== undefined) await vscode.commands.executeCommand(chosen.command);
  return false;
}
