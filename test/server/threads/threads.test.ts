import { appendFile, readdir, readFile, rm, stat, truncate, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { contentHash } from "../../../server/lib/content-hash.ts";
import { createThreadStore, newThreadId, type ThreadLimits } from "../../../server/threads/threads.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { bundle } from "../../support/run-bundled.ts";
import { threadTurn } from "../../support/thread-turn.ts";

const files: never[] = [];

test("another store over the same folder lists threads, most recent first", async () => {
  await using world = await threadWorld();
  const [older, newer] = [newThreadId(), newThreadId()];
  await world.add(older, "How?", { askedAt: "2025-01-01T00:00:00.000Z", resources: ["a"] });
  await world.add(newer, "Where  is\nit?", { askedAt: "2025-01-02T00:00:00.000Z" });
  await world.add(older, "And then?", { askedAt: "2025-01-03T00:00:00.000Z", resources: ["b"] });
  const other = createThreadStore({ dataDirectory: world.folder });
  expect(await other.list()).toEqual([
    {
      id: older,
      title: "How?",
      createdAt: "2025-01-01T00:00:00.000Z",
      updatedAt: "2025-01-03T00:00:00.000Z",
      turnCount: 2,
      resources: ["a", "b"],
    },
    expect.objectContaining({ id: newer, title: "Where is it?" }),
  ]);
  expect((await other.read(older)).turns.map(({ question }) => question)).toEqual(["How?", "And then?"]);
});

test("only the user can read stored files", async () => {
  await using world = await threadWorld();
  const id = newThreadId();
  await world.add(id, "How?", {}, [{ hash: contentHash("x"), text: "x" }]);
  const modes = ["threads", `threads/${id}.jsonl`, "cited", `cited/${contentHash("x")}`].map(async (name) => {
    const { mode } = await stat(path.join(world.folder, name));
    return (mode & 0o777).toString(8);
  });
  expect(await Promise.all(modes)).toEqual(["700", "600", "700", "600"]);
});

describe("an unknown id is ThreadNotFound and never becomes a path", () => {
  test.each(["0123456789ab", "", "new", "../../etc/passwd", "..", "0123456789AB", "x".repeat(5000)])(
    "%j",
    async (id) => {
      await using world = await threadWorld();
      await writeFile(path.join(world.folder, "secret.jsonl"), `${JSON.stringify(threadTurn())}\n`);
      const { store } = world;
      for (const call of [
        () => store.read(id),
        () => store.remove(id),
        () => store.append(id, threadTurn(), { files, isFirst: false }),
      ]) {
        await expect(call()).rejects.toMatchObject({ tag: "ThreadNotFound" });
      }
      expect(await store.list()).toEqual([]);
    },
  );
});

test("skips the partial line of a killed writer and keeps later turns", async () => {
  await using world = await threadWorld();
  const id = newThreadId();
  await world.add(id, "one");
  await world.add(id, "two");
  const file = path.join(world.folder, "threads", `${id}.jsonl`);
  await truncate(file, (await stat(file)).size - 20);
  expect(await world.questions(id)).toEqual(["one"]);
  await world.add(id, "three");
  expect(await world.questions(id)).toEqual(["one", "three"]);
});

test("skips lines that are not turns", async () => {
  await using world = await threadWorld();
  const id = newThreadId();
  await world.add(id, "one");
  await appendFile(path.join(world.folder, "threads", `${id}.jsonl`), 'null\n{"question":1}\n[]\n\u0000\n');
  await world.add(id, "two");
  expect(await world.questions(id)).toEqual(["one", "two"]);
});

describe("bounds", () => {
  test("removes the oldest turns of a thread", async () => {
    await using world = await threadWorld({ turns: 2 });
    const id = newThreadId();
    for (const question of ["one", "two", "three"]) await world.add(id, question);
    expect(await world.questions(id)).toEqual(["two", "three"]);
  });

  test("keeps an oversized turn alone in its thread", async () => {
    await using world = await threadWorld({ threadBytes: 2000 });
    const id = newThreadId();
    await world.add(id, "one");
    await world.add(id, "x".repeat(5000));
    expect(await world.questions(id)).toEqual(["x".repeat(5000)]);
    await world.add(id, "two");
    expect(await world.questions(id)).toEqual(["two"]);
  });

  test("removes the oldest threads with the files that only they cite", async () => {
    await using world = await threadWorld({ threads: 2 });
    const ids = [newThreadId(), newThreadId(), newThreadId()];
    for (const [index, id] of ids.entries()) {
      await world.cite(id, [`own ${index}`, "shared"]);
      const time = new Date(2020, 0, index + 1);
      await utimes(path.join(world.folder, "threads", `${id}.jsonl`), time, time);
    }
    await world.cite(ids[2] ?? "", ["own 2", "shared"]);
    expect((await world.store.list()).map(({ id }) => id)).not.toContain(ids[0]);
    expect(await world.kept("own 0")).toBe(false);
    expect(await world.kept("shared")).toBe(true);
    expect(await world.kept("own 2")).toBe(true);
  });

  test("limits the total size of all threads", async () => {
    await using world = await threadWorld({ totalBytes: 3000 });
    for (let count = 0; count < 10; count++) await world.add(newThreadId(), "x".repeat(500));
    const names = await readdir(path.join(world.folder, "threads"));
    const sizes = await Promise.all(
      names.map(async (name) => (await stat(path.join(world.folder, "threads", name))).size),
    );
    expect(sizes.reduce((total, size) => total + size, 0)).toBeLessThanOrEqual(3000);
  });

  test("removes the oldest cited files and does not store oversized ones", async () => {
    await using world = await threadWorld({ cited: { fileBytes: 100, totalBytes: 150 } });
    const id = newThreadId();
    await world.cite(id, ["a".repeat(80)]);
    await utimes(path.join(world.folder, "cited", contentHash("a".repeat(80))), 0, 0);
    await world.cite(id, ["b".repeat(80), "c".repeat(101)]);
    expect(await world.kept("a".repeat(80))).toBe(false);
    expect(await world.kept("b".repeat(80))).toBe(true);
    expect(await world.kept("c".repeat(101))).toBe(false);
  });
});

test("removing a thread removes only the files that it alone cites", async () => {
  await using world = await threadWorld();
  const [first, second] = [newThreadId(), newThreadId()];
  await world.cite(first, ["own", "shared"]);
  await world.cite(second, ["shared"]);
  await world.store.remove(first);
  await expect(world.store.read(first)).rejects.toMatchObject({ tag: "ThreadNotFound" });
  expect(await world.kept("own")).toBe(false);
  expect(await world.kept("shared")).toBe(true);
  expect(await world.questions(second)).toEqual(["Why?"]);
});

test("a removed thread is not recreated by its next turn", async () => {
  await using world = await threadWorld();
  const id = newThreadId();
  await world.add(id, "one");
  await world.store.remove(id);
  const late = world.store.append(id, threadTurn(), { files, isFirst: false });
  await expect(late).rejects.toMatchObject({ tag: "ThreadNotFound" });
  expect(await world.store.list()).toEqual([]);
});

test("does not return a damaged cited file", async () => {
  await using world = await threadWorld();
  await world.cite(newThreadId(), ["text"]);
  const file = path.join(world.folder, "cited", contentHash("text"));
  expect(await world.store.readCited(contentHash("text"))).toBe("text");
  await writeFile(file, "other");
  expect(await world.store.readCited(contentHash("text"))).toBeUndefined();
});

test("finds a stored cited file by resource, path and revision in any thread", async () => {
  await using world = await threadWorld();
  const place = { resource: "demo", path: 'a "b".ts', revision: "r1" };
  const citation = { ...place, id: "c1", startLine: 1, endLine: 1, state: "verified" } as const;
  const file = { hash: contentHash("text"), text: "text" };
  const cited = [{ citation: "c1", file: file.hash, text: file.hash, length: 4 }];
  await world.add(newThreadId(), "demo r1", { citations: [{ ...citation, revision: "r2" }] });
  await world.add(newThreadId(), "How?", { citations: [citation], cited }, [file]);
  expect(await world.store.findCited(place)).toBe("text");
  for (const other of [{ resource: "dem" }, { path: "a.ts" }, { revision: "r2" }, { revision: "r" }]) {
    expect(await world.store.findCited({ ...place, ...other })).toBeUndefined();
  }
  await rm(path.join(world.folder, "cited", file.hash));
  expect(await world.store.findCited(place)).toBeUndefined();
});

test("a file in place of the folder is StorageFailed", async () => {
  await using world = await threadWorld();
  await writeFile(path.join(world.folder, "threads"), "");
  await expect(world.add(newThreadId(), "one")).rejects.toMatchObject({ tag: "StorageFailed" });
  expect(await world.store.list()).toEqual([]);
});

test("two processes can write to one thread without losing turns", async () => {
  await using world = await threadWorld();
  await using script = await bundle("write-turns.ts");
  const id = newThreadId();
  const common = { dataDirectory: world.folder, id, count: 20 };
  await using first = script.start({ ...common, prefix: "a" });
  await using second = script.start({ ...common, prefix: "b" });
  await Promise.all([first.line("a19"), second.line("b19")]);
  const questions = await world.questions(id);
  expect(questions).toHaveLength(40);
  for (const prefix of ["a", "b"]) {
    const own = questions.filter((question) => question.startsWith(prefix));
    expect(own).toEqual(Array.from({ length: 20 }, (_, index) => prefix + index));
  }
});

test("a killed writer loses no stored turn and does not block the next writer", async () => {
  await using world = await threadWorld();
  await using script = await bundle("write-turns.ts");
  const id = newThreadId();
  await using writer = script.start({ dataDirectory: world.folder, id, prefix: "a", count: 100_000 });
  await writer.line("a5");
  writer.process.kill("SIGKILL");
  await world.add(id, "after");
  const questions = await world.questions(id);
  expect(questions.slice(0, 6)).toEqual(["a0", "a1", "a2", "a3", "a4", "a5"]);
  expect(questions.at(-1)).toBe("after");
  const text = await readFile(path.join(world.folder, "threads", `${id}.jsonl`), "utf8");
  expect(text.endsWith("\n")).toBe(true);
});

async function threadWorld(limits: Partial<ThreadLimits> = {}) {
  const folder = await temporaryFolder();
  const unlimited = { turns: 1000, threadBytes: 1e9, threads: 1000, totalBytes: 1e9 };
  const cited = { fileBytes: 1e9, totalBytes: 1e9 };
  const store = createThreadStore({ dataDirectory: folder.path, limits: { ...unlimited, cited, ...limits } });
  const add = (
    id: string,
    question: string,
    turn: Parameters<typeof threadTurn>[0] = {},
    files: { hash: string; text: string }[] = [],
  ) => store.append(id, threadTurn({ ...turn, question }), { files, isFirst: true });
  return {
    folder: folder.path,
    store,
    add,
    /** A turn that cites files with these texts. */
    async cite(id: string, texts: string[]) {
      const files = texts.map((text) => ({ hash: contentHash(text), text }));
      const cited = files.map(({ hash, text }, index) => {
        return { citation: `c${index + 1}`, file: hash, text: hash, length: text.length };
      });
      await add(id, "Why?", { cited }, files);
    },
    kept: async (text: string) => (await store.readCited(contentHash(text))) === text,
    questions: async (id: string) => (await store.read(id)).turns.map(({ question }) => question),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}
