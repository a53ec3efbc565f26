import * as vscode from "vscode";
import type { Attachment } from "../../../server/protocol/attachment.ts";
import type { Citations, Server } from "../../context.ts";

/** An editor's document, and what is selected in it. */
export type Place = Pick<vscode.TextEditor, "document" | "selection">;

/**
 * The selected lines of an editor, whole; without a selection the cited lines that the cursor is in, else its file.
 * Undefined where there is nothing to read.
 */
export function readAttachment(
  place: Place | undefined,
  { markedIn }: Pick<Citations, "markedIn">,
): Attachment | undefined {
  if (place === undefined) return undefined;
  const { document } = place;
  return attachmentOf(document, pointedAt(place, markedIn(document.uri)));
}

/** The same, but without a selection the definition at the cursor, where there is one. */
export async function readSymbol(
  place: Place | undefined,
  { markedIn, server }: Pick<Citations, "markedIn"> & { server: Pick<Server, "request"> },
): Promise<Attachment | undefined> {
  if (place === undefined) return undefined;
  const { document, selection } = place;
  const pointed = pointedAt(place, markedIn(document.uri));
  return attachmentOf(document, pointed ?? (await definitionAt(document, selection.active, server)));
}

/** Lines of a document, whole, or all of it. Undefined where there is nothing to read. */
export function attachmentOf(document: vscode.TextDocument, range: vscode.Range | undefined): Attachment | undefined {
  const path = vscode.workspace.asRelativePath(document.uri, false);
  const name = path.slice(path.lastIndexOf("/") + 1);
  const lines = range && selectedLines(range);
  const whole = lines && new vscode.Range(lines.first, 0, lines.last, document.lineAt(lines.last).text.length);
  const text = document.getText(whole);
  if (text.trim() === "") return undefined;
  if (lines === undefined) return { label: name, path, text };
  const [first, last] = [lines.first + 1, lines.last + 1];
  return { label: `${name}:${first === last ? first : `${first}-${last}`}`, path, text };
}

function pointedAt({ selection }: Place, marked: vscode.Range | undefined): vscode.Range | undefined {
  if (!selection.isEmpty) return selection;
  return marked?.contains(selection) === true ? marked : undefined;
}

/** The innermost definition, as the editor's languages know it, else as the server finds it. Never rejects. */
async function definitionAt(
  document: vscode.TextDocument,
  position: vscode.Position,
  server: Pick<Server, "request">,
): Promise<vscode.Range | undefined> {
  const { uri, isDirty } = document;
  try {
    const symbols = await vscode.commands.executeCommand<readonly KnownSymbol[] | undefined>(
      "vscode.executeDocumentSymbolProvider",
      uri,
    );
    const around = (symbols ?? []).flatMap(rangesIn).filter((range) => range.contains(position));
    const known = around.findLast((range) => !range.isSingleLine) ?? around[0];
    const folder = vscode.workspace.getWorkspaceFolder(uri);
    if (known !== undefined || isDirty || folder?.uri.scheme !== "file") return known;
    // Most languages need an extension of their own for the editor to know them.
    const place = { resource: folder.uri.fsPath, path: uri.fsPath, around: position.line + 1 };
    const { startLine, endLine, definition } = await server.request("read", place);
    return definition === undefined ? undefined : new vscode.Range(startLine - 1, 0, endLine, 0);
  } catch {
    return undefined;
  }
}

type KnownSymbol = vscode.DocumentSymbol | vscode.SymbolInformation;

/** The outermost first. */
function rangesIn(symbol: KnownSymbol): vscode.Range[] {
  return "location" in symbol ? [symbol.location.range] : [symbol.range, ...symbol.children.flatMap(rangesIn)];
}

/** 0-based, inclusive. A selection that ends before the first character of a line does not mean that line. */
function selectedLines({ start, end }: vscode.Range): { first: number; last: number } {
  const isBefore = end.character === 0 && end.line > start.line;
  return { first: start.line, last: isBefore ? end.line - 1 : end.line };
}
