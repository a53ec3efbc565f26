import * as vscode from "vscode";
import { detectAll } from "./detect.ts";
import type { OneOff } from "../../../server/protocol/kinds/kinds.ts";

/** The dropped items. Files also come with their names as text, which is ignored if there are URIs. */
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
