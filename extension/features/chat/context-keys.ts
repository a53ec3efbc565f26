import * as vscode from "vscode";

/** Context keys for menus and keybindings; only changes are sent to the editor. */
export function createContextKeys(): { set(key: `citewell.${string}`, value: boolean): void } {
  const known = new Map<string, boolean>();
  return {
    set(key, value) {
      if (known.get(key) === value) return;
      known.set(key, value);
      void vscode.commands.executeCommand("setContext", key, value);
    },
  };
}
