import path from "node:path";
import { expect, test } from "vitest";
import type { FindFilesRequest } from "../../../server/protocol/source.ts";
import { localApp } from "../../support/connect.ts";
import { temporaryFolder } from "../../support/folder.ts";

const project = `
//- src/chat-view.ts
x
//- src/chat/host.ts
x
//- src/chat.ts
x
//- docs/the-chat.md
x
//- dist/chat.js
x
//- README.md
x
`;

async function find(request: Partial<FindFilesRequest>, { isOpen = true } = {}) {
  await using folder = await temporaryFolder(project);
  await using app = localApp(folder.path, {}, { projects: async () => (isOpen ? [folder.path] : []) });
  const { files } = await app.findFiles({ query: "", exclude: [], limit: 20, ...request }, {});
  for (const file of files) expect(file.pathOnDisk).toBe(path.join(folder.path, file.path));
  return files.map((file) => file.path);
}

test("files whose name begins with the letters come first, then those that have them in the name, the path, or one by one", async () => {
  expect(await find({ query: "chat" })).toEqual([
    "src/chat.ts",
    "dist/chat.js",
    "src/chat-view.ts",
    "docs/the-chat.md",
    "src/chat/host.ts",
  ]);
  expect(await find({ query: "ChatView" })).toEqual(["src/chat-view.ts"]);
  expect((await find({ query: "src/chat.ts" }))[0]).toBe("src/chat.ts");
  expect(await find({ query: "nothing" })).toEqual([]);
});

test("without letters all files are found, up to the limit", async () => {
  expect(await find({})).toHaveLength(6);
  expect(await find({ limit: 2 })).toEqual(["README.md", "src/chat.ts"]);
});

test("files that the editor hides are left out", async () => {
  expect(await find({ query: "chat", exclude: ["**/dist", "docs/**"] })).toEqual([
    "src/chat.ts",
    "src/chat-view.ts",
    "src/chat/host.ts",
  ]);
});

test("without an open project there are none", async () => {
  expect(await find({ query: "chat" }, { isOpen: false })).toEqual([]);
});
