import path from "node:path";
import * as vscode from "vscode";
import { dependencyAt, manifests } from "../../server/protocol/dependency-line.ts";

/** On the line of a dependency in its manifest: asks in the chat what another version of it breaks. */
export function registerUpgrade(): vscode.Disposable {
  return vscode.languages.registerCodeActionsProvider(
    { scheme: "file", pattern: manifests },
    {
      provideCodeActions(document, { start }) {
        const lines = document.getText().split(/\r?\n/);
        const name = dependencyAt(path.basename(document.fileName), lines, start.line);
        if (name === undefined) return [];
        const title = vscode.l10n.t("What breaks if I upgrade {0}?", name);
        const action = new vscode.CodeAction(title, vscode.CodeActionKind.Empty);
        // The question itself is not translated: the built-in provider reads English.
        action.command = { command: "citewell.ask", title, arguments: [`What breaks if I upgrade ${name}?`] };
        return [action];
      },
    },
  );
}
