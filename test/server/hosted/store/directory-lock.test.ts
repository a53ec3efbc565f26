import { once } from "node:events";
import path from "node:path";
import { mkdir } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { lockDirectory } from "../../../../server/hosted/store/directory-lock.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { bundle, type Bundled } from "../../../support/run-bundled.ts";

let holder: Bundled;
beforeAll(async () => {
  holder = await bundle("hold-directory.ts");
});
afterAll(() => holder[Symbol.asyncDispose]());

test("a second process is refused with the id of the first, and succeeds after that one is killed", async () => {
  await using folder = await temporaryFolder();
  await using script = holder.start(folder.path);
  await script.line("locked");
  await expect(lockDirectory(folder.path)).rejects.toThrow(
    `the data directory ${folder.path} is in use by process ${script.process.pid}`,
  );
  const ended = once(script.process, "exit");
  script.process.kill("SIGKILL");
  await ended;
  await using _lock = await lockDirectory(folder.path);
  await expect(lockDirectory(folder.path)).rejects.toThrow(`in use by process ${process.pid}`);
});

test("of many that take over from a killed process at once, one succeeds", async () => {
  await using folder = await temporaryFolder();
  await using script = holder.start(folder.path);
  await script.line("locked");
  const ended = once(script.process, "exit");
  script.process.kill("SIGKILL");
  await ended;
  const results = await Promise.allSettled([1, 2, 3, 4].map(() => lockDirectory(folder.path)));
  const locks = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  expect(locks).toHaveLength(1);
  await locks[0]?.[Symbol.asyncDispose]();
});

test("a released directory can be locked again", async () => {
  await using folder = await temporaryFolder();
  await (await lockDirectory(folder.path))[Symbol.asyncDispose]();
  await using lock = await lockDirectory(folder.path);
  expect(lock).toBeDefined();
});

test("a path that is too long for a socket is refused", async () => {
  await using folder = await temporaryFolder();
  const long = path.join(folder.path, "x".repeat(100));
  await mkdir(long);
  await expect(lockDirectory(long)).rejects.toMatchObject({ tag: "InvalidPath" });
});
