import { existsSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import * as vscode from "vscode";

/** Whether a path that a question mentions exists; relative ones start at the first workspace folder, as in the server. */
export function pathExists(written: string): boolean {
  const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === "file")?.uri.fsPath;
  const isRelative = !path.isAbsolute(written) && !written.startsWith("~");
  if (isRelative && folder === undefined) return false;
  return existsSync(path.resolve(folder ?? "", written.replace(/^~(?=$|[/\\])/, os.homedir())));
}
