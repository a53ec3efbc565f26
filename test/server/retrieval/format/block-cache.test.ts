import { expect, test, vi } from "vitest";
import { createBlockCache } from "../../../../server/retrieval/format/block-cache.ts";
import { restMs } from "../../../../server/retrieval/text-store.ts";

/** Which blocks are read when the files and numbers are asked for one after the other; each block is one byte long. */
function readsOf(asked: readonly [file: number, block: number][], limitBytes: number): string[] {
  const reads: string[] = [];
  const cache = createBlockCache({ limitBytes });
  const files = [cache.forFile(), cache.forFile()];
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

test("nothing is kept when nobody has asked for a while", () => {
  vi.useFakeTimers();
  try {
    const blocks = createBlockCache({ limitBytes: 8 }).forFile();
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
