import * as vscode from "vscode";
import { EditorSettings } from "../server/protocol/editor-settings.ts";

const section = "citewell";

/** What the person has set, and nothing else: what is only a default must not stand over the configuration files. */
export function readSettings(): Record<string, unknown> {
  const settings = vscode.workspace.getConfiguration(section);
  const set = Object.keys(EditorSettings.shape).map((key) => {
    const found = settings.inspect<unknown>(key);
    return [key, found?.workspaceFolderValue ?? found?.workspaceValue ?? found?.globalValue] as const;
  });
  return Object.fromEntries(set.filter(([, value]) => value !== undefined && value !== null));
}

/** Calls the listener whenever one of our settings changes. */
export function onDidChangeSettings(listener: () => void): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration(section)) listener();
  });
}
