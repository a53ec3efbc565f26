import * as vscode from "vscode";
import type { Citation } from "../../../server/protocol/citation.ts";
import type { SourceFile } from "../../../server/protocol/source.ts";
import type { Marks } from "./marks.ts";
import { type Texts, toUri } from "./texts.ts";

/**
 * Opens the cited lines as the answer had them: in the file itself where it still holds that text, so that it can be
 * worked on, else in the snapshot. The lines are marked, not selected, and the focus stays where it is unless it is asked
 * for: what the user types next never replaces code.
 * @throws ServerError
 */
export async function openCitation(
  citation: Pick<Citation, "resource" | "path" | "revision" | "startLine" | "endLine">,
  {
    toSide,
    takesFocus = false,
    column,
    texts,
    marks,
  }: {
    toSide: boolean;
    takesFocus?: boolean | undefined;
    column?: vscode.ViewColumn | undefined;
    texts: Texts;
    marks: Marks;
  },
): Promise<vscode.TextEditor> {
  const file = await texts.readAnew(citation);
  const uri = isAsCited(file) ? vscode.Uri.file(file.pathOnDisk) : toUri(file);
  const document = await vscode.workspace.openTextDocument(uri);
  const range = document.validateRange(
    new vscode.Range(
      Math.max(0, citation.startLine - 1),
      0,
      Math.max(0, citation.endLine - 1),
      Number.MAX_SAFE_INTEGER,
    ),
  );
  const viewColumn = column ?? (toSide ? vscode.ViewColumn.Beside : undefined);
  const editor = await vscode.window.showTextDocument(document, {
    preview: true,
    preserveFocus: !takesFocus,
    selection: new vscode.Range(range.start, range.start),
    ...(viewColumn === undefined ? {} : { viewColumn }),
  });
  editor.revealRange(range, vscode.TextEditorRevealType.InCenter);
  marks.mark(uri, range);
  return editor;
}

/** What has changed in an editor and is not saved counts as changed. */
function isAsCited(file: SourceFile): file is SourceFile & { pathOnDisk: string } {
  const { pathOnDisk, hasChanged } = file;
  return pathOnDisk !== undefined && hasChanged === false && !isDirty(pathOnDisk);
}

/** Whether the file has unsaved changes in an editor. */
export function isDirty(pathOnDisk: string): boolean {
  const uri = vscode.Uri.file(pathOnDisk).toString();
  return vscode.workspace.textDocuments.some((document) => document.isDirty && document.uri.toString() === uri);
}
