import * as vscode from "vscode";

/** Facts by which menus and keys are offered; the editor is told of changes only. */
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
