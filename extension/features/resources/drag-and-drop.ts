import * as vscode from "vscode";
import type { Row } from "./rows.ts";

const uriList = "text/uri-list";
const plainText = "text/plain";

/** Folders, addresses and text that are dropped onto the view are added; a row that is dragged out is `@name`. */
export function createDragAndDrop({
  add,
}: {
  add(dropped: { uris: string; text: string }): Promise<void>;
}): vscode.TreeDragAndDropController<Row> {
  return {
    dropMimeTypes: [uriList, plainText],
    dragMimeTypes: [uriList, plainText],
    handleDrag(rows, transfer) {
      const names = rows.flatMap((row) => (row.type === "resource" ? [`@${row.listing.name}`] : []));
      const uris = rows.flatMap((row) => (row.type === "file" ? [row.uri.toString()] : []));
      if (names.length > 0) transfer.set(plainText, new vscode.DataTransferItem(names.join(" ")));
      if (uris.length > 0) transfer.set(uriList, new vscode.DataTransferItem(uris.join("\r\n")));
    },
    async handleDrop(_target, transfer) {
      const uris = (await transfer.get(uriList)?.asString()) ?? "";
      const text = (await transfer.get(plainText)?.asString()) ?? "";
      await add({ uris, text });
    },
  };
}
