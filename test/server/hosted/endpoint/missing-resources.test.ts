import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AskedService, startAskedService } from "../../../support/hosted.ts";
import { testEngines } from "../../../support/stores.ts";

describe.each(testEngines())("resources that are missing on $name", (engine) => {
  let service: AskedService;
  let key: string;
  let releaseSlow = () => {};
  beforeAll(async () => {
    service = await startAskedService(await engine.createDatabase(), () => "It retries [[lib:retry.ts#L1]].", {
      patience: { namedMs: 100, unnamedMs: 50 },
      maxResourceBytes: 100_000,
    });
    key = await service.key();
    await service.git.commit("lib", { "retry.ts": "export const retries = 3;\n" });
    await service.git.commit("copied", { "copied.ts": "export const copies = 3;\n" });
    await service.git.commit("large", { "large.ts": `export const large = "${"x".repeat(200_000)}";\n` });
    for (const name of ["lib", "copied", "large", "dead"]) await add(name);
    await service.untilFetched();
    const held = new Promise<boolean>((resolve) => {
      releaseSlow = () => resolve(false);
    });
    const reached = new Promise<void>((resolve) => {
      service.git.intercept((request) => {
        if (request.url?.includes("/slow/") !== true) return false;
        resolve();
        return held;
      });
    });
    await service.git.commit("slow", { "slow.ts": "export const slow = 3;\n" });
    await add("slow");
    await reached;
  });
  afterAll(async () => {
    releaseSlow();
    await service[Symbol.asyncDispose]();
  });

  const add = (name: string) => service.call(key, "addResource", { type: "git", name, url: service.git.url(name) });
  const search = (resources?: string[]) =>
    service.call(key, "search", { query: "retries", mode: "exact", ...(resources === undefined ? {} : { resources }) });

  test("a search that names none is answered from the ready ones, and says in one line what is left out", async () => {
    const before = service.git.requests.length;
    const { isError, structuredContent, content } = await search();
    expect({ isError, structuredContent }).toMatchObject({
      isError: false,
      structuredContent: {
        matches: 1,
        unavailable: [
          { resource: "large", tag: "ResourceTooLarge" },
          { resource: "dead", tag: "RepositoryNotFound" },
          { resource: "slow", tag: "NotReadyYet" },
        ],
      },
    });
    const lines = content.map(({ text }) => text).join("\n\n");
    expect(lines.split("\n").filter((line) => /slow|dead|large/.test(line))).toEqual([
      expect.stringMatching(/^Left out, because they could not be opened: large \(.+; dead \(.+; slow \(.+\)\.$/),
    ]);
    expect(service.git.requests.slice(before)).toEqual([]);
  });

  test("a question that names none is answered from the ready ones", async () => {
    const { isError, structuredContent, content } = await service.call(key, "ask", { question: "Does it retry?" });
    expect({ isError, structuredContent }).toMatchObject({
      isError: false,
      structuredContent: { citations: [{ path: "retry.ts" }] },
    });
    expect(content[0]?.text).toContain("Left out, because they could not be opened: large (");
    expect(content).toHaveLength(1);
  });

  test("a search that names only one of them says its state, and when to come back", async () => {
    const before = service.git.requests.length;
    expect(await search(["slow"])).toMatchObject({
      isError: true,
      content: [
        { text: expect.stringMatching(/^NotReadyYet: the resource is being fetched since .+\n.+again in a minute$/) },
      ],
    });
    expect(await search(["dead"])).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^RepositoryNotFound: there is no repository at /) }],
    });
    const read = await service.call(key, "read", { resource: "large", path: "large.ts" });
    expect(read).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/^ResourceTooLarge: /) }] });
    expect(service.git.requests.slice(before)).toEqual([]);
  });

  test("one that is named beside a ready one is left out, unless it does not exist", async () => {
    expect(await search(["lib", "slow", "large"])).toMatchObject({
      isError: false,
      structuredContent: { matches: 1, unavailable: [{ resource: "slow" }, { resource: "large" }] },
    });
    expect(await search(["lib", "dead"])).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^RepositoryNotFound: /) }],
    });
  });

  test("verify checks what it can, and says what it could not open", async () => {
    const reply = await service.call(key, "verify", { text: "see lib:retry.ts:1" });
    expect(reply).toMatchObject({ isError: false });
  });

  test("a node that lacks a snapshot that the worker has does not wait long for a silent host", async () => {
    const snapshots = path.join(service.dataDirectory, "resources", "snapshots");
    const stored = (await readdir(snapshots)).map((name) => path.join(snapshots, name));
    await Promise.all(
      stored
        .filter((folder) => existsSync(path.join(folder, "tree", "copied.ts")))
        .map((folder) => rm(folder, { recursive: true })),
    );
    let end = () => {};
    const silence = new Promise<boolean>((resolve) => {
      end = () => resolve(false);
    });
    service.git.intercept((request) => (request.url?.includes("/copied/") === true ? silence : false));
    try {
      expect(await search(["copied"])).toMatchObject({
        isError: true,
        content: [{ text: expect.stringMatching(/^NotReadyYet: the resource is still being fetched after /) }],
      });
      expect(await search(["lib", "copied"])).toMatchObject({
        isError: false,
        structuredContent: { unavailable: [{ resource: "copied", tag: "NotReadyYet" }] },
      });
    } finally {
      end();
    }
  });
});
