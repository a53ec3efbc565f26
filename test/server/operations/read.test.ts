import { rm } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toErrorBody } from "../../../server/errors.ts";
import { contentHash } from "../../../server/lib/content-hash.ts";
import { emptyAnswer, foldAnswer } from "../../../server/protocol/ask.ts";
import type { ReadRequest } from "../../../server/protocol/source.ts";
import { createThreadStore, newThreadId } from "../../../server/threads/threads.ts";
import { localApp } from "../../support/connect.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { type GitServer, startGitServer } from "../../support/git-server.ts";
import { threadTurn } from "../../support/thread-turn.ts";

const retry = "export function retryDelay(times) {\n  return 100 * times;\n}\n";

let server: GitServer;
beforeAll(async () => {
  server = await startGitServer();
});
afterAll(() => server[Symbol.asyncDispose]());

describe("a file's current text", () => {
  test("is read in place, whole or in part, with line feeds", async () => {
    await using world = await readWorld("//- notes/a.md\none\r\ntwo\r\nthree\r\n//- notes/b.md\nx");
    const pathOnDisk = path.join(world.folder, "notes/a.md");
    const file = await world.read({ resource: "notes", path: "a.md" });
    expect(file).toEqual({
      resource: "notes",
      path: "a.md",
      revision: expect.stringMatching(/^content-[0-9a-f]{40}$/),
      text: "one\ntwo\nthree\n",
      startLine: 1,
      endLine: 3,
      totalLines: 3,
      pathOnDisk,
      hasChanged: false,
    });
    const part = { resource: "notes", path: "a.md", startLine: 2, endLine: 99 };
    expect(await world.read(part)).toMatchObject({ text: "two\nthree\n", startLine: 2, endLine: 3, totalLines: 3 });
    expect(await world.read({ ...part, endLine: 2 })).toMatchObject({ text: "two", startLine: 2, endLine: 2 });
    expect(await world.read({ resource: "notes", path: "b.md" })).toMatchObject({ text: "x", totalLines: 1 });
  });

  test("is found by its path on disk and by the start of its revision, as agents know them", async () => {
    await using world = await readWorld("//- notes/a.md\none\n");
    const file = await world.read({ resource: "notes", path: "a.md" });
    expect(await world.read({ resource: "notes", path: path.join(world.folder, "notes/a.md") })).toEqual(file);
    expect(await world.read({ resource: "notes", path: "a.md", revision: file.revision.slice(0, 20) })).toEqual(file);
  });

  test("is read in the ranges that follow its path, each line once, in the order of the file", async () => {
    const text = Array.from({ length: 9 }, (_, index) => `${index + 1}\n`).join("");
    await using world = await readWorld(`//- notes/a.md\n${text}//- notes/one:1-2\nb\n`);
    const read = (path: string, rest: Partial<ReadRequest> = {}) => world.read({ resource: "notes", path, ...rest });
    const ranges = [
      { startLine: 2, endLine: 3 },
      { startLine: 6, endLine: 9 },
    ];
    const several = { text: "2\n3\n6\n7\n8\n9\n", startLine: 2, endLine: 9, ranges, totalLines: 9 };
    expect(await read("a.md:7-99, 6-8,2-3")).toMatchObject(several);
    expect(await read("notes:a.md#L2-L3,L6-L9")).toMatchObject(several);
    const one = await read(`${path.join(world.folder, "notes/a.md")}:4`);
    expect(one).toMatchObject({ path: "a.md", text: "4", startLine: 4, endLine: 4 });
    expect(one.ranges).toBeUndefined();
    expect(await read("a.md:1-2", { startLine: 5, endLine: 5 })).toMatchObject({ text: "5" });
    expect(await read("one:1-2")).toMatchObject({ path: "one:1-2", text: "b\n" });
    await expect(read("a.md:5,10-12")).rejects.toMatchObject({
      tag: "InvalidRequest",
      message: expect.stringContaining("10"),
    });
    await expect(read("a.md:5-4")).rejects.toMatchObject({ tag: "InvalidRequest" });
    await expect(read("c.md:5-4")).rejects.toMatchObject({ tag: "FileNotFound" });
  });

  test("is read around a line: the innermost definition or section with it", async () => {
    await using world = await readWorld("//- notes/a.md\n# One\nfirst\n\n# Two\nsecond\nthird\n");
    const around = (line: number) => world.read({ resource: "notes", path: "a.md", around: line });
    expect(await around(5)).toMatchObject({
      text: "# Two\nsecond\nthird\n",
      startLine: 4,
      endLine: 6,
      definition: "Two",
    });
    await expect(around(9)).rejects.toMatchObject({ tag: "InvalidRequest" });
  });

  test("is read without a resource: of the open project, else of the only resource", async () => {
    await using world = await readWorld("//- notes/a.md\none\n");
    expect(await world.read({ path: "a.md" })).toMatchObject({ resource: "notes", text: "one\n" });
    await using several = await readWorld("//- notes/a.md\none\n", [{ type: "npm", name: "zod", package: "zod" }]);
    expect(await several.read({ path: "a.md" }).catch(toErrorBody)).toMatchObject({
      tag: "InvalidRequest",
      hint: "name one: notes, zod",
    });
    await using folder = await temporaryFolder("//- main.ts\nrun();\n");
    await using app = localApp(folder.path, {}, { projects: async () => [folder.path] });
    expect(await app.read({ path: "main.ts" })).toMatchObject({
      resource: path.basename(folder.path),
      text: "run();\n",
    });
  });

  test("that is empty has no line", async () => {
    await using world = await readWorld("//- notes/a.md\n");
    expect(await world.read({ resource: "notes", path: "a.md" })).toMatchObject({
      text: "",
      startLine: 1,
      endLine: 0,
      totalLines: 0,
    });
  });

  test("shows no secret and nothing invisible, and each line stays in its place", async () => {
    const token = `ghp_${"a1B2".repeat(9)}`;
    await using world = await readWorld(`//- notes/a.env\nfirst\nTOKEN=${token}\nlone\rreturn\nlast\n`);
    const { text } = await world.read({ resource: "notes", path: "a.env" });
    expect(text).toBe("first\nTOKEN=‹masked GitHub token›\nlone‹U+000D›return\nlast\n");
  });

  test.each<[Partial<ReadRequest>, string, RegExp]>([
    [{ resource: "nots" }, "ResourceNotFound", /did you mean notes/],
    [{ path: "c.md" }, "FileNotFound", /relative to the resource's root/],
    [{ path: "../a.md" }, "InvalidPath", /^$/],
    [{ startLine: 2, endLine: 1 }, "InvalidRequest", /^$/],
    [{ startLine: 9 }, "InvalidRequest", /lines of 1 to 2/],
  ])("%j is %s", async (request, tag, hint) => {
    await using world = await readWorld("//- notes/a.md\none\ntwo\n");
    const error = await world.read({ resource: "notes", path: "a.md", ...request }).catch(toErrorBody);
    expect({ hint: "", ...error }).toMatchObject({ tag, hint: expect.stringMatching(hint) });
  });
});

describe("a repository", () => {
  test("is read and listed as it is on disk: nothing is refreshed, and what was never fetched is fetched once", async () => {
    const first = await server.commit("lib", { "src/retry.js": retry, "src/deep/x.js": "x\n", "README.md": "# Lib\n" });
    await using world = await readWorld("", [gitSpec("lib", { refresh: "always", searchPaths: ["src"] })]);
    const file = await world.read({ resource: "lib", path: "src/retry.js", startLine: 1, endLine: 2 });
    expect(file).toMatchObject({ revision: first, text: retry.split("\n").slice(0, 2).join("\n") });
    await server.commit("lib", { "src/retry.js": "// new\n" });
    const before = server.requests.length;
    expect(await world.read({ resource: "lib", path: "src/retry.js" })).toMatchObject({ revision: first, text: retry });
    expect(await world.read({ resource: "lib", path: "src/retry.js", revision: first })).toMatchObject({ text: retry });
    expect(await world.app.listFiles({ resource: "lib", path: "" })).toEqual({
      resource: "lib",
      revision: first,
      entries: [{ name: "src", type: "folder", sizeBytes: null }],
    });
    expect((await world.app.listFiles({ resource: "lib", path: "src" })).entries).toEqual([
      { name: "deep", type: "folder", sizeBytes: null },
      { name: "retry.js", type: "file", sizeBytes: retry.length },
    ]);
    expect(server.requests.length).toBe(before);
  });

  test("at a revision that is neither there nor cited is refused, with what to do", async () => {
    await server.commit("gone", { "a.js": "a\n" });
    await using world = await readWorld("", [gitSpec("gone")]);
    await world.read({ resource: "gone", path: "a.js" });
    const error = await world.read({ resource: "gone", path: "a.js", revision: "f".repeat(40) }).catch(toErrorBody);
    expect(error).toMatchObject({ tag: "FileNotFound", hint: expect.stringContaining("ask again") });
  });

  test("opens what was cited after it moved on", async () => {
    const first = await server.commit("moved", { "src/retry.js": retry });
    await using world = await readWorld("", [gitSpec("moved")]);
    await world.ask("What is retryDelay?", ["moved"]);
    await server.commit("moved", { "src/retry.js": "// new\n" });
    for await (const _event of world.app.refreshResource({ name: "moved" })) continue;
    const cited = { resource: "moved", path: "src/retry.js" };
    expect(await world.read(cited)).toMatchObject({ text: "// new\n" });
    expect(await world.read({ ...cited, revision: first })).toMatchObject({ revision: first, text: retry });
  });

  test("that was named for one question opens without a request when it is cited, also once it is gone", async () => {
    await server.commit("once", { "src/retry.js": retry });
    await using world = await readWorld("");
    const url = server.url("once");
    const { citations } = await world.ask("What is retryDelay?", [url]);
    const [citation] = citations;
    const before = server.requests.length;
    const request = { resource: url, path: "src/retry.js", revision: citation?.revision };
    expect(await world.read(request)).toMatchObject({ text: retry, totalLines: 3 });
    const other = await world.read({ ...request, path: "src/other.js" }).catch(toErrorBody);
    expect(other).toMatchObject({ tag: "FileNotFound" });
    expect(server.requests.length).toBe(before);
  });
});

test("a cited file of a code host has its permanent link, without a request", async () => {
  await using world = await readWorld("");
  const [resource, revision] = ["https://github.com/a/b", "c".repeat(40)];
  const citation = { id: "c1", resource, path: "a.js", startLine: 1, endLine: 1, state: "verified", revision } as const;
  const file = { hash: contentHash(retry), text: retry };
  const cited = { citation: "c1", file: file.hash, text: contentHash("x"), length: 1 };
  const threads = createThreadStore({ dataDirectory: path.join(world.folder, ".home/data") });
  const turn = threadTurn({ citations: [citation], cited: [cited] });
  await threads.append(newThreadId(), turn, { files: [file], isFirst: true });
  const request = { resource, path: "a.js", revision, startLine: 2, endLine: 2 };
  expect(await world.read(request)).toMatchObject({
    text: "  return 100 * times;",
    url: `https://github.com/a/b/blob/${revision}/a.js#L2`,
  });
});

describe("a cited file of a folder", () => {
  test("is reported as changed or gone, and outlives its folder and its resource", async () => {
    await using world = await readWorld(`//- notes/retry.js\n${retry}`);
    const { citations } = await world.ask("What is retryDelay?", ["notes"]);
    const request = { resource: "notes", path: "retry.js", revision: citations[0]?.revision };
    const pathOnDisk = path.join(world.folder, "notes/retry.js");
    await world.write("//- notes/other.js\nx\n");
    expect(await world.read(request)).toMatchObject({ text: retry, pathOnDisk, hasChanged: false });
    await world.write("//- notes/retry.js\n// other\n");
    expect(await world.read(request)).toMatchObject({ text: retry, pathOnDisk, hasChanged: true });
    await rm(pathOnDisk);
    const without = await world.read(request);
    expect(without).toMatchObject({ text: retry, hasChanged: true });
    expect(without.pathOnDisk).toBeUndefined();
    await rm(path.join(world.folder, "notes"), { recursive: true });
    expect(await world.read(request)).toMatchObject({ text: retry });
    await world.app.removeResource({ name: "notes" });
    expect(await world.read(request)).toMatchObject({ text: retry });
  });
});

test("a folder that is none is refused with what comes near it", async () => {
  await using world = await readWorld("//- notes/guide/a.md\na\n");
  const list = (folder: string) => world.app.listFiles({ resource: "notes", path: folder }).catch(toErrorBody);
  expect(await list("guid")).toMatchObject({ tag: "FileNotFound", hint: "there is guide" });
  expect(await list("guide/a.md")).toMatchObject({ tag: "FileNotFound" });
});

function gitSpec(name: string, fields: object = {}) {
  return { type: "git", name, url: server.url(name), ...fields };
}

/** A user with the folder `notes` and more resources, and a built-in model. */
async function readWorld(source: string, more: readonly object[] = []) {
  const folder = await temporaryFolder(source);
  const resources = [{ type: "local", name: "notes", path: path.join(folder.path, "notes") }, ...more];
  const config = { allowHosts: ["localhost"], resources };
  await folder.write(`//- .home/citewell.config.jsonc\n${JSON.stringify(config)}`);
  const app = localApp(folder.path, { NODE_EXTRA_CA_CERTS: server.caFile, SSL_CERT_FILE: server.caFile });
  return {
    folder: folder.path,
    app,
    write: (files: string) => folder.write(files),
    read: (request: ReadRequest) => app.read(request),
    async ask(question: string, asked: string[]) {
      let answer = emptyAnswer;
      for await (const event of app.ask({ question, resources: asked, thread: "new" })) {
        answer = foldAnswer(answer, event);
      }
      return answer;
    },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
