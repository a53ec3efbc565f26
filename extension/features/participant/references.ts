import * as vscode from "vscode";
import { type Attachment, cutAttachment } from "../../../server/protocol/attachment.ts";

/** What the person attached to a request of the editor's chat, in the order of the text. What cannot be read stays out. */
export async function readReferences(references: readonly vscode.ChatPromptReference[]): Promise<Attachment[]> {
  const attachments = await Promise.all(references.toReversed().map(readReference));
  return attachments.filter((attachment) => attachment !== undefined).map(cutAttachment);
}

async function readReference({ value, modelDescription }: vscode.ChatPromptReference): Promise<Attachment | undefined> {
  if (typeof value === "string") return { label: modelDescription ?? "text", path: "reference.txt", text: value };
  if (value instanceof vscode.Uri) return readLines(value, undefined);
  return value instanceof vscode.Location ? readLines(value.uri, value.range) : undefined;
}

async function readLines(uri: vscode.Uri, range: vscode.Range | undefined): Promise<Attachment | undefined> {
  try {
    const document = await vscode.workspace.openTextDocument(uri);
    const path = vscode.workspace.asRelativePath(uri, false);
    const name = path.slice(path.lastIndexOf("/") + 1);
    const lines = range === undefined ? "" : `:${range.start.line + 1}-${range.end.line + 1}`;
    return { label: `${name}${lines}`, path, text: document.getText(range) };
  } catch {
    // A folder, an image, or a file that is gone.
    return undefined;
  }
}
