import { utimes } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { acquireLock } from "../../../server/lib/lock.ts";
import { temporaryFolder } from "../../support/folder.ts";

test("the next caller acquires it after release", async () => {
  await using folder = await temporaryFolder();
  const file = path.join(folder.path, "lock");
  const first = await acquireLock(file, { waitMs: 0 });
  expect(await acquireLock(file, { waitMs: 0 })).toBeUndefined();
  const second = acquireLock(file, { waitMs: 10_000 });
  await first?.[Symbol.asyncDispose]();
  await using held = await second;
  expect(held).toBeDefined();
});

test("a stale lock is taken over, and its late release does not fail", async () => {
  await using folder = await temporaryFolder();
  const file = path.join(folder.path, "lock");
  const asleep = await acquireLock(file, { waitMs: 0 });
  await utimes(file, 0, 0);
  await using held = await acquireLock(file, { waitMs: 0 });
  expect(held).toBeDefined();
  await asleep?.[Symbol.asyncDispose]();
});

test("waiting can be cancelled", async () => {
  await using folder = await temporaryFolder();
  const file = path.join(folder.path, "lock");
  await using _held = await acquireLock(file, { waitMs: 0 });
  const cancelled = new AbortController();
  const waiting = acquireLock(file, { waitMs: 60_000, signal: cancelled.signal });
  cancelled.abort();
  await expect(waiting).rejects.toThrow("aborted");
});

test("a missing folder rejects with the file system error", async () => {
  await using folder = await temporaryFolder();
  await expect(acquireLock(path.join(folder.path, "none", "lock"), { waitMs: 0 })).rejects.toThrow("ENOENT");
});
