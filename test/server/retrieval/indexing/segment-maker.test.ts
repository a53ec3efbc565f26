import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { openIndexBytes } from "../../../../server/retrieval/format/index-file.ts";
import { openSegment } from "../../../../server/retrieval/index/segment.ts";
import { structureOf } from "../../../../server/retrieval/indexing/file-structure.ts";
import { createSegmentMaker, type NewSegment } from "../../../../server/retrieval/indexing/segment-maker.ts";

async function addFile(segment: NewSegment, word: string): Promise<void> {
  const text = `export const ${word} = 1;\n`;
  await segment.add({ hash: "00".repeat(16), text, structure: structureOf("a.ts", text) });
}

function termsIn(bytes: Uint8Array, words: readonly string[]): string[] {
  const segment = openSegment(openIndexBytes(bytes));
  return words.filter((word) => segment.postings(word) !== undefined);
}

/** Resolves when all else that can go on has gone on. */
function hasBegun(segment: Promise<NewSegment>): Promise<boolean> {
  return Promise.race([segment.then(() => true), setImmediate(false)]);
}

const words = ["apricot", "walnut", "plum"];

test("who comes while a segment is made waits until it is finished, and gets one of its own", async () => {
  const maker = createSegmentMaker();
  const first = await maker.begin();
  const second = maker.begin();
  await addFile(first, "apricot");
  expect(await hasBegun(second)).toBe(false);
  const finished = first.finish();
  expect(await hasBegun(second)).toBe(true);
  await addFile(await second, "walnut");
  expect(termsIn(await finished, words)).toEqual(["apricot"]);
  expect(termsIn(await (await second).finish(), words)).toEqual(["walnut"]);
});

test("of a segment that is left nothing comes into the next, and it is left once", async () => {
  const maker = createSegmentMaker();
  const left = await maker.begin();
  await addFile(left, "plum");
  left[Symbol.dispose]();
  left[Symbol.dispose]();
  const next = await maker.begin();
  const after = maker.begin();
  expect(await hasBegun(after)).toBe(false);
  await addFile(next, "walnut");
  expect(termsIn(await next.finish(), words)).toEqual(["walnut"]);
  (await after)[Symbol.dispose]();
});

test("a segment whose words cannot be counted fails, and the next one is made", async () => {
  let isFailing = true;
  const maker = createSegmentMaker({
    terms: {
      add: async () => {},
      finish: () =>
        isFailing
          ? Promise.reject(new Error("no words"))
          : Promise.resolve({ lengths: {}, blocks: new Uint8Array(0), ends: [] }),
      clear: () => {},
    },
  });
  const failing = await maker.begin();
  await addFile(failing, "plum");
  await expect(failing.finish()).rejects.toThrow("no words");
  isFailing = false;
  const next = await maker.begin();
  await addFile(next, "walnut");
  expect((await next.finish()).length).toBeGreaterThan(0);
});
