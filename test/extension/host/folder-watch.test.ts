import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as vscode from "vscode";
import { openStoredIndex } from "../../../server/retrieval/index/stored-index.ts";

suite("the index of a folder", () => {
  const [workspace] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(workspace);
  const folder = vscode.Uri.joinPath(workspace.uri, "watched");
  const write = (name: string) =>
    vscode.workspace.fs.writeFile(vscode.Uri.joinPath(folder, name), Buffer.from("export const delayMs = 1;\n"));

  suiteTeardown(() => vscode.workspace.fs.delete(folder, { recursive: true }));

  test("follows the editor's watcher once the folder was asked, with no further question", async () => {
    await write("before.ts");
    const input = { query: "delayMs", resources: [folder.fsPath] };
    await vscode.lm.invokeTool("citewell_search", { input, toolInvocationToken: undefined });
    assert.match(await indexes(), /before\.ts/);
    // Whether the watcher listens by now nobody says: it hears of one of these, and there has to be quiet after it.
    for (let count = 0; !(await isIndexed("after")); count += 1) await write(`after-${count}.ts`);
  });
});

async function isIndexed(name: string): Promise<boolean> {
  const limit = Date.now() + 4000;
  while (Date.now() < limit) {
    if ((await indexes()).includes(name)) return true;
    await sleep(50);
  }
  return false;
}

/** The paths of all that is indexed. */
async function indexes(): Promise<string> {
  const directory = path.join(process.env["CITEWELL_HOME"] ?? "", "data", "index");
  const names = (await readdir(directory)).filter((name) => name.endsWith(".index"));
  // One that is listed may be replaced before it is read.
  const read = (name: string) => readFile(path.join(directory, name)).catch(() => undefined);
  const texts = (await Promise.all(names.map(read))).filter((bytes) => bytes !== undefined);
  return texts.flatMap((bytes) => openStoredIndex(bytes).files.map((file) => file.path)).join("\n");
}
