import { once } from "node:events";
import { readdir, utimes } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { silentLog } from "../../../server/lib/log.ts";
import { createStore } from "../../../server/resources/store.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { type GitServer, startGitServer } from "../../support/git-server.ts";
import type { OpenRepositoryInput } from "../../support/open-repository.ts";
import { bundle, type Bundled } from "../../support/run-bundled.ts";

let server: GitServer;
let opener: Bundled;
beforeAll(async () => {
  [server, opener] = await Promise.all([startGitServer(), bundle("open-repository.ts")]);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await opener[Symbol.asyncDispose]();
});
beforeEach(() => {
  server.intercept(undefined);
  server.requests.length = 0;
});

test("two concurrent processes make one fetch", async () => {
  await using folder = await temporaryFolder();
  const input = await inputFor(folder.path);
  const fetching = holdRequests();
  await using first = opener.start(input);
  await fetching.hasBegun;
  await using second = opener.start(input);
  await second.line("progress waiting for another process");
  fetching.release();
  expect(await Promise.all([first.line("opened"), second.line("opened")])).toEqual([
    `opened ${input.branch}`,
    `opened ${input.branch}`,
  ]);
  expect(server.requests.filter((request) => request.startsWith("GET"))).toHaveLength(1);
});

test("the leftovers of a process killed while fetching are removed, and the next one works", async () => {
  await using folder = await temporaryFolder();
  const input = await inputFor(folder.path);
  const fetching = holdRequests();
  await using killed = opener.start(input);
  await fetching.hasBegun;
  killed.process.kill("SIGKILL");
  await once(killed.process, "close");
  expect(await readdir(path.join(folder.path, "temporary"))).toHaveLength(1);
  const [lock = ""] = await readdir(path.join(folder.path, "locks"));
  // Makes its lock so old that it counts as left behind.
  await utimes(path.join(folder.path, "locks", lock), 0, 0);
  // The git that the killed process started lives on, and waits.
  server.intercept(undefined);
  await using next = opener.start(input);
  expect(await next.line("opened")).toBe(`opened ${input.branch}`);
  expect(await readdir(path.join(folder.path, "temporary"))).toEqual([]);
  expect(await readdir(path.join(folder.path, "snapshots"))).toHaveLength(1);
  fetching.release();
});

test("a snapshot read by another process is not cleared until that is done or killed", async () => {
  await using folder = await temporaryFolder();
  const input = await inputFor(folder.path);
  const store = createStore({ directory: folder.path, log: silentLog });
  await using reader = opener.start(input);
  await reader.line("opened");
  await using killed = opener.start(input);
  await killed.line("opened");
  expect(await store.clear()).toBe(0);
  reader.process.stdin?.end();
  await once(reader.process, "close");
  expect(await store.clear()).toBe(0);
  killed.process.kill("SIGKILL");
  await once(killed.process, "close");
  expect(await store.clear()).toBe(1);
});

/** A commit id is fetched without asking for branches first: the first request is the fetch. */
async function inputFor(directory: string): Promise<OpenRepositoryInput> {
  const branch = await server.commit("demo", { "a.ts": directory });
  const environment = { PATH: process.env["PATH"] ?? "", HOME: directory, GIT_SSL_CAINFO: server.caFile };
  return { directory, url: server.url("demo"), branch, environment };
}

function holdRequests() {
  let begin = () => {};
  let release = () => {};
  const hasBegun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  server.intercept(async () => {
    begin();
    await released;
    return false;
  });
  return { hasBegun, release: () => release() };
}
