import * as vscode from "vscode";
import type { Server } from "../../context.ts";
import type { Marks } from "./marks.ts";
import { fileOf } from "./texts.ts";
import type { CitedFile } from "./uris.ts";

/**
 * The permanent link of the lines that are selected in a document of ours, else of its cited lines, on its host; undefined
 * where there is none.
 */
export async function permalinkOf(
  uri: unknown,
  { server, marks }: { server: Server; marks: Pick<Marks, "rangeIn"> },
): Promise<string | undefined> {
  const editor = editorOf(uri);
  const file = editor === undefined ? undefined : fileOf(editor.document.uri);
  if (editor === undefined || file === undefined) return reportNone(vscode.l10n.t("Open a cited file first."));
  const { selection, document } = editor;
  const lines = selection.isEmpty ? (marks.rangeIn(document.uri) ?? selection) : selection;
  const { url } = await server.request("read", { ...file, ...linesOf(lines) });
  return url ?? reportNone(whyNone(file));
}

/** The editor of a tab's menu, else the active one. */
function editorOf(uri: unknown): vscode.TextEditor | undefined {
  const { activeTextEditor, visibleTextEditors } = vscode.window;
  if (!(uri instanceof vscode.Uri)) return activeTextEditor;
  const isOfTab = ({ document }: vscode.TextEditor) => document.uri.toString() === uri.toString();
  return activeTextEditor !== undefined && isOfTab(activeTextEditor)
    ? activeTextEditor
    : visibleTextEditors.find(isOfTab);
}

/** A selection that ends before the first character of a line does not reach into it. */
function linesOf({ start, end }: vscode.Range): { startLine: number; endLine: number } {
  const lastLine = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  return { startLine: start.line + 1, endLine: lastLine + 1 };
}

function whyNone({ resource }: CitedFile): string {
  return vscode.l10n.t("There is no permanent link to this file: no known code host has “{0}”.", resource);
}

function reportNone(message: string): undefined {
  void vscode.window.showInformationMessage(message);
}
