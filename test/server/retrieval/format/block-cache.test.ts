import { expect, test, vi } from "vitest";
import { type BlockCacheLimits, createBlockCache } from "../../../../server/retrieval/format/block-cache.ts";
import { blockBytes } from "../../../../server/retrieval/format/deflated-sections.ts";
import { restMs } from "../../../../server/retrieval/text-store.ts";

/** Room for so many blocks. */
function roomFor(least: number, most = least): BlockCacheLimits {
  return { leastBytes: least * blockBytes, mostBytes: most * blockBytes };
}

/** Which blocks are read when the files, of 40 blocks each, and numbers are asked for one after the other. */
function readsOf(asked: readonly [file: number, block: number][], room: BlockCacheLimits): string[] {
  const reads: string[] = [];
  const cache = createBlockCache(room);
  const files = [cache.forFile(40 * blockBytes), cache.forFile(40 * blockBytes)];
  for (const [file, block] of asked) {
    const read = () => {
      reads.push(`${file} ${block}`);
      return Buffer.from([block]);
    };
    expect(files[file]?.get(block, read)).toEqual(Buffer.from([block]));
  }
  return reads;
}

test("a block is read once while there is room, and that of another file is another one", () => {
  const asked: [number, number][] = [
    [0, 1],
    [1, 1],
    [0, 1],
    [1, 1],
  ];
  expect(readsOf(asked, roomFor(2))).toEqual(["0 1", "1 1"]);
});

test("what is not asked for goes, what is asked for again and again stays", () => {
  const others = Array.from({ length: 20 }, (_, index): [number, number] => [1, index]);
  const asked = others.flatMap((other): [number, number][] => [[0, 7], other]);
  const reads = readsOf([...asked, [1, 0]], roomFor(3));
  expect(reads.filter((read) => read === "0 7")).toEqual(["0 7"]);
  expect(reads.filter((read) => read === "1 0")).toEqual(["1 0", "1 0"]);
});

test("what there is no room for is not kept", () => {
  const asked: [number, number][] = [
    [0, 1],
    [0, 2],
    [0, 1],
  ];
  expect(readsOf(asked, roomFor(0))).toEqual(["0 1", "0 2", "0 1"]);
});

test("there is more room, the more there is to read, and no more than there may be", () => {
  const blocks = Array.from({ length: 15 }, (_, block): [number, number] => [0, block]);
  const twice = [...blocks, ...blocks];
  // A quarter of a file has room, then one of two files.
  expect(readsOf(twice, roomFor(2, 30)).length).toBeGreaterThan(15);
  expect(readsOf([[1, 0], ...twice], roomFor(2, 30))).toHaveLength(16);
  expect(readsOf([[1, 0], ...twice], roomFor(2, 14)).length).toBeGreaterThan(16);
});

test("a block is as long as it was, wherever it is kept", () => {
  const blocks = createBlockCache(roomFor(1)).forFile(40);
  const lengths = [blockBytes, 3, 5];
  for (const [number, length] of lengths.entries()) {
    const block = Buffer.alloc(length, number);
    for (const read of [() => block, () => Buffer.alloc(0)]) expect(blocks.get(number, read)).toEqual(block);
  }
});

test("drops its contents after a while without requests", () => {
  vi.useFakeTimers();
  try {
    const blocks = createBlockCache(roomFor(1)).forFile(40);
    const read = vi.fn<() => Buffer>(() => Buffer.from([1]));
    for (let count = 0; count < 3; count++) {
      blocks.get(1, read);
      vi.advanceTimersByTime(restMs - 1);
    }
    expect(read).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1);
    blocks.get(1, read);
    expect(read).toHaveBeenCalledTimes(2);
  } finally {
    vi.useRealTimers();
  }
});
