import * as vscode from "vscode";
import type { Citations, Citewell } from "../../context.ts";
import { showError } from "../../server-error.ts";
import { registerChangedLens } from "./changed-lens.ts";
import type { CitationCommands } from "./commands.ts";
import { registerFileSystem } from "./file-system.ts";
import { createMarks } from "./marks.ts";
import { openCitation } from "./open.ts";
import { permalinkOf } from "./permalink.ts";
import { createTexts, scheme } from "./texts.ts";

/** Cited lines in the editor, and what can be done with them. */
export function registerCitations({ server }: Pick<Citewell, "server">): Citations & vscode.Disposable {
  const texts = createTexts(server);
  const marks = createMarks();
  let loaded: Promise<CitationCommands> | undefined;

  const citations: Citations = {
    async open(citation, options) {
      await openCitation(citation, { ...options, texts, marks }).catch(showError);
    },
    markedIn: marks.rangeIn,
    clear: () => marks.clear(),
  };

  const copyPermalink = async (uri: unknown) => {
    const url = await permalinkOf(uri, { server, marks });
    if (url !== undefined) await vscode.env.clipboard.writeText(url);
  };
  const openPermalink = async (uri: unknown) => {
    const url = await permalinkOf(uri, { server, marks });
    if (url !== undefined) await vscode.env.openExternal(vscode.Uri.parse(url, true));
  };
  const more = () =>
    (loaded ??= import("./commands.ts").then(({ createCitationCommands }) =>
      createCitationCommands({ server, texts, open: citations.open }),
    ));

  const showContext = () => {
    const uri = vscode.window.activeTextEditor?.document.uri;
    const isCited = uri !== undefined && (uri.scheme === scheme || marks.rangeIn(uri) !== undefined);
    void vscode.commands.executeCommand("setContext", "citewell.isCitedDocument", isCited);
  };
  showContext();

  const parts = vscode.Disposable.from(
    registerFileSystem({ server, texts }),
    registerChangedLens({ texts, marks }),
    command("citewell.openPermalink", openPermalink),
    command("citewell.copyPermalink", copyPermalink),
    command("citewell.compareWithInstalled", async (uri) => (await more()).compare(uri)),
    command("citewell.verifyFile", async () => (await more()).verify()),
    command("citewell.clearVerification", async () => (await loaded)?.clearVerification()),
    command("citewell.clearHighlight", () => marks.clear()),
    command("citewell.recheckThread", async (thread) => (await more()).recheck(thread)),
    vscode.window.onDidChangeActiveTextEditor(showContext),
    marks.onDidChange(showContext),
    { dispose: () => void loaded?.then((commands) => commands.dispose()) },
    marks,
  );
  return { ...citations, dispose: () => parts.dispose() };
}

/** A command whose failure is one message. */
function command(id: `citewell.${string}`, action: (argument: unknown) => void | Promise<void>): vscode.Disposable {
  return vscode.commands.registerCommand(id, async (argument: unknown) => {
    try {
      await action(argument);
    } catch (error) {
      await showError(error);
    }
  });
}
