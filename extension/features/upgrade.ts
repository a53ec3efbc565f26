import path from "node:path";
import * as vscode from "vscode";
import { dependencyAt, manifests } from "../../server/protocol/dependency-line.ts";

const inManifests: vscode.DocumentSelector = { scheme: "file", pattern: manifests };

/** On the line of a dependency in its manifest: what another version of it breaks, in a hover and as an action. */
export function registerUpgrade(): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.languages.registerCodeActionsProvider(inManifests, {
      provideCodeActions(document, { start }) {
        const name = dependencyOf(document, start.line);
        if (name === undefined) return [];
        const title = vscode.l10n.t("What breaks if I upgrade {0}?", name);
        const action = new vscode.CodeAction(title, vscode.CodeActionKind.Empty);
        action.command = { ...askCommand(name), title };
        return [action];
      },
    }),
    vscode.languages.registerHoverProvider(inManifests, {
      provideHover(document, { line }) {
        const name = dependencyOf(document, line);
        if (name === undefined) return undefined;
        const { command, arguments: given } = askCommand(name);
        const text = new vscode.MarkdownString();
        text.isTrusted = { enabledCommands: [command] };
        const title = vscode.l10n.t("What breaks for me?");
        text.appendMarkdown(`[${title}](command:${command}?${encodeURIComponent(JSON.stringify(given))})`);
        return new vscode.Hover(text, document.lineAt(line).range);
      },
    }),
  );
}

/** Asks in the chat what another version of a dependency breaks. */
export async function askUpgrade(name: string): Promise<void> {
  const { command, arguments: given } = askCommand(name);
  await vscode.commands.executeCommand(command, ...given);
}

/** The question itself is not translated: the built-in provider reads English. */
function askCommand(name: string) {
  return { command: "citewell.ask", arguments: [`What breaks if I upgrade ${name}?`] };
}

function dependencyOf(document: vscode.TextDocument, line: number): string | undefined {
  return dependencyAt(path.basename(document.fileName), document.getText().split(/\r?\n/), line);
}
