import * as vscode from "vscode";
import { detectAll } from "./detect.ts";
import type { OneOff } from "../../../server/protocol/kinds/kinds.ts";

/** What was dropped. Files come with their names as text, too: where there are addresses, the text says nothing more. */
export function droppedReferences({ uris, text }: { uris: string; text: string }): OneOff[] {
  const lines = uris.split(/\r?\n/).filter((line) => line !== "" && !line.startsWith("#"));
  if (lines.length === 0) return detectAll(text);
  return lines.flatMap((line) => {
    const uri = vscode.Uri.parse(line);
    return uri.scheme === "file" ? [folderReference(uri)] : detectAll(line);
  });
}

export function folderReference({ fsPath }: vscode.Uri): OneOff {
  return { type: "local", canonical: fsPath, path: fsPath };
}
