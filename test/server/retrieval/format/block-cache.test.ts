import { expect, test, vi } from "vitest";
import { type BlockRoom, createBlockCache } from "../../../../server/retrieval/format/block-cache.ts";
import { restMs } from "../../../../server/retrieval/text-store.ts";

/** Which blocks are read when the files and numbers are asked for one after the other; each block is one byte long. */
function readsOf(asked: readonly [file: number, block: number][], room: BlockRoom | number): string[] {
  const reads: string[] = [];
  const cache = createBlockCache(typeof room === "number" ? { leastBytes: room, mostBytes: room } : room);
  const files = [cache.forFile(40), cache.forFile(40)];
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
  expect(readsOf(asked, 8)).toEqual(["0 1", "1 1"]);
});

test("what is not asked for goes, what is asked for again and again stays", () => {
  const others = Array.from({ length: 20 }, (_, index): [number, number] => [1, index]);
  const asked = others.flatMap((other): [number, number][] => [[0, 7], other]);
  const reads = readsOf([...asked, [1, 0]], 8);
  expect(reads.filter((read) => read === "0 7")).toEqual(["0 7"]);
  expect(reads.filter((read) => read === "1 0")).toEqual(["1 0", "1 0"]);
});

test("what there is no room for is not kept", () => {
  const asked: [number, number][] = [
    [0, 1],
    [0, 2],
    [0, 1],
  ];
  expect(readsOf(asked, 0)).toEqual(["0 1", "0 2", "0 1"]);
});

test("there is more room, the more there is to read, and no more than there may be", () => {
  const blocks = Array.from({ length: 9 }, (_, block): [number, number] => [0, block]);
  const twice = [...blocks, ...blocks];
  const room = { leastBytes: 2, mostBytes: 30 };
  expect(readsOf(twice, room).length).toBeGreaterThan(9);
  expect(readsOf([[1, 0], ...twice], room)).toHaveLength(10);
  expect(readsOf([[1, 0], ...twice], { ...room, mostBytes: 10 }).length).toBeGreaterThan(10);
});

test("nothing is kept when nobody has asked for a while", () => {
  vi.useFakeTimers();
  try {
    const blocks = createBlockCache({ leastBytes: 8, mostBytes: 8 }).forFile(40);
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
