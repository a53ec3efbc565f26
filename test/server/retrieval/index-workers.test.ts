import { pathToFileURL } from "node:url";
import path from "node:path";
import { expect, test } from "vitest";
import { createIndexWorkers } from "../../../server/retrieval/index-workers.ts";
import { buildInProcess } from "../../../server/retrieval/build-segments.ts";
import { temporaryFolder } from "../../support/folder.ts";

const files = [{ hash: "00".repeat(16), path: "a.ts", text: "export const a = 1;\n".repeat(7000), isRanked: true }];
const { signal } = new AbortController();

/** A thread of the test's own. */
async function workersRunning(source: string) {
  const folder = await temporaryFolder(`//- worker.mjs\n${source}\n`);
  return {
    build: createIndexWorkers(pathToFileURL(path.join(folder.path, "worker.mjs"))),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test("a thread that fails is stood in for: the segment is the same", async () => {
  await using workers = await workersRunning('throw new Error("no thread here");');
  const expected = await buildInProcess(files, { signal });
  expect(Buffer.from(await workers.build(files, { signal })).equals(Buffer.from(expected))).toBe(true);
});

test("a build that is given up ends its thread, and nothing stands in", async () => {
  await using workers = await workersRunning("setInterval(() => {}, 1000);");
  const leaving = new AbortController();
  const building = workers.build(files, { signal: leaving.signal });
  leaving.abort(new Error("left"));
  await expect(building).rejects.toThrow("left");
});

test("however many builds are wanted, one thread runs", async () => {
  await using workers = await workersRunning(
    `import { threadId, parentPort } from "node:worker_threads";
     parentPort.on("message", () => parentPort.postMessage(Uint8Array.of(threadId)));`,
  );
  const made = await Promise.all(Array.from({ length: 9 }, () => workers.build(files, { signal })));
  expect(new Set(made.map(([thread]) => thread)).size).toBe(1);
});
