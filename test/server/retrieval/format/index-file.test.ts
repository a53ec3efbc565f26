import { expect, test } from "vitest";
import type { BlockCache } from "../../../../server/retrieval/format/block-cache.ts";
import { blockBytes, deflateSections } from "../../../../server/retrieval/format/deflated-sections.ts";
import { openIndexBytes, packIndexFile } from "../../../../server/retrieval/format/index-file.ts";

test("what is looked up is kept; of what is read as a whole, only blocks that hold something else, too", () => {
  const head = Buffer.from("head");
  const body = Buffer.alloc(5 * blockBytes, "body ");
  const asked: number[] = [];
  const blocks: BlockCache = {
    forFile: () => ({
      get(number, read) {
        asked.push(number);
        return read();
      },
    }),
  };
  const file = openIndexBytes(packIndexFile(deflateSections({ head, body })), { blocks });
  expect(Buffer.from(file.section("body")).equals(body)).toBe(true);
  expect(asked).toEqual([0, 5]);
  const [start, end] = [blockBytes, 3 * blockBytes];
  expect(Buffer.from(file.slice("body", start, end)).equals(body.subarray(start, end))).toBe(true);
  expect(asked).toEqual([0, 5, 1, 2, 3]);
});
