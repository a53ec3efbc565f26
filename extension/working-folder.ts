import * as vscode from "vscode";

/** The project's folder; in an untrusted workspace an empty folder, so that the project's configuration has no effect. */
export async function workingFolder({
  globalStorageUri,
}: Pick<vscode.ExtensionContext, "globalStorageUri">): Promise<string> {
  const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === "file");
  if (folder !== undefined && vscode.workspace.isTrusted) return folder.uri.fsPath;
  const neutral = vscode.Uri.joinPath(globalStorageUri, "no-project");
  await vscode.workspace.fs.createDirectory(neutral);
  return neutral.fsPath;
}
