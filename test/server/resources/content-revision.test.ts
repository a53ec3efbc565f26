import { rm } from "node:fs/promises";
import path from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { createContentRevisions } from "../../../server/resources/content-revision.ts";
import { clockStepMs, walkTree } from "../../../server/resources/walk.ts";
import { temporaryFolder } from "../../support/folder.ts";

const signal = new AbortController().signal;

afterEach(() => {
  vi.useRealTimers();
});

test.each([
  ["once they have rested", 2 * clockStepMs, true],
  ["but not just after they were written", 0, false],
])("of files that were not touched is known without reading them again, %s", async (_when, restMs, isKnown) => {
  await using folder = await temporaryFolder("//- a.ts\nA\n");
  const { files } = await walkTree(folder.path);
  const changedMs = files[0]?.stamp.changedMs ?? 0;
  vi.useFakeTimers({ toFake: ["Date"], now: changedMs + restMs });
  const revisions = createContentRevisions();
  const before = await revisions.of(folder.path, files, { signal });
  // What is gone cannot be read.
  await rm(path.join(folder.path, "a.ts"));
  const after = await revisions.of(folder.path, files, { signal });
  expect(after === before).toBe(isKnown);
});
