import { readdir, readFile, symlink } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import * as z from "zod";
import { openStoredIndex } from "../../../../server/retrieval/index/stored-index.ts";
import { type Folder, temporaryFolder } from "../../../support/folder.ts";
import { type LspProcess, startLsp } from "../../../support/lsp.ts";

const project = `
//- .home/citewell.config.jsonc
{ "resources": [
  { "type": "local", "name": "demo", "path": "../workspace/demo" },
  { "type": "local", "name": "quiet", "path": "../workspace/quiet" },
  { "type": "local", "name": "elsewhere", "path": "../elsewhere" },
] }
//- workspace/demo/retry.ts
export const delayMs = 100;
//- workspace/quiet/retry.ts
export const delayMs = 200;
//- elsewhere/retry.ts
export const delayMs = 300;
`;

let folder: Folder;
beforeEach(async () => {
  folder = await temporaryFolder(project);
});
afterEach(() => folder[Symbol.asyncDispose]());

const Registration = z.object({
  registrations: z.array(
    z.object({
      id: z.string(),
      method: z.literal("workspace/didChangeWatchedFiles"),
      registerOptions: z.object({
        watchers: z.array(z.object({ globPattern: z.object({ baseUri: z.string(), pattern: z.literal("**/*") }) })),
      }),
    }),
  ),
});

/** An editor with this workspace, and the folders that it was asked to watch. */
async function startInEditor(workspace: string): Promise<LspProcess & { watched: string[] }> {
  const client = await startLsp({ folder: folder.path });
  const watched: string[] = [];
  client.connection.onRequest("workspace/workspaceFolders", () => [{ uri: uriOf(workspace), name: "workspace" }]);
  client.connection.onRequest("client/registerCapability", (params: unknown) => {
    for (const { registerOptions } of Registration.parse(params).registrations)
      watched.push(...registerOptions.watchers.map(({ globPattern }) => globPattern.baseUri));
  });
  return { ...client, watched };
}

const uriOf = (...names: string[]) => pathToFileURL(path.join(folder.path, ...names)).href;

async function search({ call }: LspProcess, resource: string): Promise<void> {
  expect(await call("citewell/search", { query: "delay", resources: [resource] })).toHaveProperty("result");
}

async function save({ connection }: LspProcess, ...names: string[]): Promise<void> {
  await folder.write(`//- ${names.join("/")}\nexport const added = true;\n`);
  await connection.sendNotification("workspace/didChangeWatchedFiles", {
    changes: [{ uri: uriOf(...names), type: 1 }],
  });
}

/** Paths in all indexes on disk. */
async function indexed(): Promise<string[]> {
  const directory = path.join(folder.path, ".home/data/index");
  const names = (await readdir(directory)).filter((name) => name.endsWith(".index"));
  const indexes = await Promise.all(
    names.map(async (name) => openStoredIndex(await readFile(path.join(directory, name)))),
  );
  return indexes.flatMap(({ files }) => files.map((file) => file.path)).toSorted();
}

test("updates the index of a used folder with the editor's file events, without a question", async () => {
  await using editor = await startInEditor("workspace");
  await search(editor, "elsewhere");
  await search(editor, "demo");
  await expect.poll(() => editor.watched).toEqual([uriOf("workspace", "demo")]);
  expect(await indexed()).toEqual(["retry.ts", "retry.ts"]);
  await save(editor, "elsewhere", "b.ts");
  await save(editor, "workspace", "quiet", "c.ts");
  await save(editor, "workspace", "demo", "a.ts");
  await expect.poll(indexed).toEqual(["a.ts", "retry.ts", "retry.ts"]);
});

test("a workspace that is opened by a link is watched by the link's name", async () => {
  await symlink(path.join(folder.path, "workspace"), path.join(folder.path, "link"), "junction");
  await using editor = await startInEditor("link");
  await search(editor, "demo");
  await expect.poll(() => editor.watched).toEqual([uriOf("link", "demo")]);
  await save(editor, "link", "demo", "a.ts");
  await expect.poll(indexed).toEqual(["a.ts", "retry.ts"]);
});

test("an editor that watches nothing is served all the same", async () => {
  await using editor = await startLsp({ folder: folder.path });
  await search(editor, "demo");
  await save(editor, "workspace", "demo", "a.ts");
  await search(editor, "demo");
  expect(await indexed()).toEqual(["a.ts", "retry.ts"]);
});
