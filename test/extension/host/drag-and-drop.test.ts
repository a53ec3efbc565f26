import assert from "node:assert/strict";
import * as vscode from "vscode";
import { createDragAndDrop } from "../../../extension/features/resources/drag-and-drop.ts";
import { droppedReferences } from "../../../extension/features/resources/dropped.ts";
import { local } from "../resources/listing.ts";

const { token } = new vscode.CancellationTokenSource();

/** What is added when this is dropped onto the view. */
async function dropped(content: Record<string, string>): Promise<unknown[]> {
  const found: unknown[] = [];
  const controller = createDragAndDrop({
    async add(what) {
      found.push(...droppedReferences(what));
    },
  });
  const transfer = new vscode.DataTransfer();
  for (const [type, text] of Object.entries(content)) transfer.set(type, new vscode.DataTransferItem(text));
  await controller.handleDrop?.(undefined, transfer, token);
  return found;
}

suite("drag and drop", () => {
  test("a folder is added by its path, with any accompanying text", async () => {
    const found = await dropped({ "text/uri-list": "file:///home/me/my%20code\r\n", "text/plain": "my code" });
    assert.deepEqual(found, [{ type: "local", canonical: "/home/me/my code", path: "/home/me/my code" }]);
  });

  test("an address is added as a repository, a package by its name", async () => {
    const types = (references: unknown[]) =>
      references.map((reference) =>
        typeof reference === "object" && reference !== null && "type" in reference ? reference.type : "",
      );
    assert.deepEqual(types(await dropped({ "text/uri-list": "https://github.com/owner/name" })), ["git"]);
    assert.deepEqual(types(await dropped({ "text/plain": "npm:zod" })), ["npm"]);
  });

  test("a row that is dragged out is a mention", async () => {
    const transfer = new vscode.DataTransfer();
    const controller = createDragAndDrop({ add: async () => {} });
    await controller.handleDrag?.([{ type: "resource", listing: local }], transfer, token);
    assert.equal(await transfer.get("text/plain")?.asString(), `@${local.name}`);
  });
});
