import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { createThreads, type RunOptions } from "../../../../server/retrieval/exact/threads.ts";
import { temporaryFolder } from "../../../support/folder.ts";

/** Threads of the test's own; each of them counts what it is asked. */
async function threadsRunning(source: string, { count = 1, timeoutMs = 60_000 } = {}) {
  const start = 'import { parentPort, threadId } from "node:worker_threads"; let asked = 0;';
  const folder = await temporaryFolder(`//- thread.mjs\n${start}\n${source}\n`);
  const file = pathToFileURL(path.join(folder.path, "thread.mjs"));
  const threads = createThreads(file, { count, idleMs: 60_000, resourceLimits: {} });
  return {
    run: (message: object, { group = "a", until = Infinity, signal }: Partial<RunOptions> = {}) =>
      threads.run(message, { group, until, timeoutMs, signal }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const counting = 'parentPort.on("message", () => parentPort.postMessage(++asked));';

test("a thread is used again", async () => {
  await using threads = await threadsRunning(counting);
  expect([await threads.run({}), await threads.run({}), await threads.run({})]).toEqual([1, 2, 3]);
});

test("work beyond the number of threads waits for one", async () => {
  const naming = 'parentPort.on("message", () => parentPort.postMessage(threadId));';
  await using threads = await threadsRunning(naming, { count: 2 });
  const names = await Promise.all([1, 2, 3, 4, 5].map(() => threads.run({})));
  expect(new Set(names).size).toBe(2);
});

test.each([
  ["throws", 'parentPort.on("message", () => { throw new Error("broken"); });', "broken"],
  ["ends", 'parentPort.on("message", () => process.exit());', "the thread ended without an answer"],
  ["does not start", "syntax error", "Unexpected identifier"],
])("a thread that %s is no answer, and the next work gets a new one", async (_, source, message) => {
  await using threads = await threadsRunning(source);
  await expect(threads.run({})).rejects.toThrow(message);
  await expect(threads.run({})).rejects.toThrow(message);
});

test("a thread that ends while it has nothing to do is not asked again", async () => {
  await using threads = await threadsRunning(
    'parentPort.on("message", () => { parentPort.postMessage(++asked); setImmediate(() => process.exit()); });',
  );
  expect(await threads.run({})).toBe(1);
  let answer: unknown;
  while (answer !== 1) answer = await threads.run({}).catch(() => undefined);
});

test("work that is given up ends its thread, and work that waits for it begins", async () => {
  await using threads = await threadsRunning(
    'parentPort.on("message", ({ isEndless }) => { while (isEndless); parentPort.postMessage(++asked); });',
  );
  const leaving = new AbortController();
  const endless = threads.run({ isEndless: true }, leaving);
  const next = threads.run({});
  leaving.abort(new Error("left"));
  await expect(endless).rejects.toThrow("left");
  expect(await next).toBe(1);
});

test("work that takes too long ends its thread, too", async () => {
  await using threads = await threadsRunning('parentPort.on("message", () => { for (;;); });', { timeoutMs: 10 });
  await expect(threads.run({})).rejects.toThrow("the thread did not answer in time");
});

test("the thread that is free next goes to a group that has none", async () => {
  const gated =
    'parentPort.on("message", ({ gate }) => { Atomics.wait(gate, 0, 0); parentPort.postMessage(++asked); });';
  await using threads = await threadsRunning(gated, { count: 2 });
  const ended: string[] = [];
  const begin = (name: string, group: string) => {
    const gate = new Int32Array(new SharedArrayBuffer(4));
    const end = threads.run({ gate }, { group }).then(() => ended.push(name));
    return {
      end,
      open: () => {
        Atomics.store(gate, 0, 1);
        Atomics.notify(gate, 0);
        return end;
      },
    };
  };
  const long = begin("a1", "a");
  const short = begin("a2", "a");
  const waiting = [begin("a3", "a"), begin("b1", "b"), begin("b2", "b")];
  for (const { open } of waiting) void open();
  await short.open();
  await Promise.all(waiting.map(({ end }) => end));
  await long.open();
  expect(ended).toEqual(["a2", "b1", "b2", "a3", "a1"]);
});

test("work for which no thread is free in time starts none", async () => {
  await using threads = await threadsRunning(counting);
  await expect(threads.run({}, { until: -Infinity })).rejects.toThrow("no thread was free in time");
  expect(await threads.run({})).toBe(1);
});
