import * as vscode from "vscode";
import type { Attachment } from "../../../client/attachment.ts";
import type { Citations } from "../../context.ts";

/** `attachmentLimit` of the client; a value import would load zod with the extension. */
const textLimit = 60_000;

/**
 * The selected lines of an editor, whole; without a selection the cited lines that the cursor is in, else its file.
 * Undefined where there is nothing to read.
 */
export function readAttachment(
  editor: vscode.TextEditor | undefined,
  { markedIn }: Pick<Citations, "markedIn">,
): Attachment | undefined {
  if (editor === undefined) return undefined;
  const { document } = editor;
  const marked = markedIn(document.uri);
  const isInMarked = editor.selection.isEmpty && marked?.contains(editor.selection) === true;
  const selection: vscode.Range = isInMarked ? marked : editor.selection;
  const path = vscode.workspace.asRelativePath(document.uri, false);
  const name = path.slice(path.lastIndexOf("/") + 1);
  const lines = selection.isEmpty ? undefined : selectedLines(selection);
  const range = lines && new vscode.Range(lines.first, 0, lines.last, document.lineAt(lines.last).text.length);
  const text = document.getText(range).slice(0, textLimit);
  if (text.trim() === "") return undefined;
  if (lines === undefined) return { label: name, path, text };
  const [first, last] = [lines.first + 1, lines.last + 1];
  return { label: `${name}:${first === last ? first : `${first}-${last}`}`, path, text };
}

/** 0-based, inclusive. A selection that ends before the first character of a line does not mean that line. */
function selectedLines({ start, end }: vscode.Range): { first: number; last: number } {
  const isBefore = end.character === 0 && end.line > start.line;
  return { first: start.line, last: isBefore ? end.line - 1 : end.line };
}
