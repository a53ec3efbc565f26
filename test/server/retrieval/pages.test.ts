import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createPages } from "../../../server/retrieval/pages.ts";

interface Found {
  score: number;
}

/** Read file by file until the page is full. */
function page(files: readonly Found[][], options: { offset: number; limit: number }): Found[] {
  const pages = createPages<Found>(options);
  for (const file of files) {
    if (pages.isFull()) break;
    pages.add(file);
  }
  return pages.last();
}

const files = fc.array(fc.array(fc.record({ score: fc.nat(9) }), { maxLength: 4 }), { maxLength: 12 });

test("pages have everything once, each as it is when it is the only one", () => {
  fc.assert(
    fc.property(files, fc.integer({ min: 1, max: 6 }), (files, limit) => {
      const all = files.flat();
      const pages = Array.from({ length: Math.ceil(all.length / limit) + 1 }, (_, number) =>
        page(files, { offset: number * limit, limit }),
      );
      expect(new Set(pages.flat())).toEqual(new Set(all));
      expect(pages.flat()).toHaveLength(all.length);
      expect(pages.slice(0, -2).every((one) => one.length === limit)).toBe(true);
      for (const one of pages) expect(one).toEqual([...one].sort((a, b) => b.score - a.score));
    }),
  );
});

test("a page that begins in the middle of another", () => {
  const files = [[{ score: 3 }, { score: 1 }], [{ score: 2 }], [{ score: 5 }]];
  expect(page(files, { offset: 1, limit: 2 })).toEqual([{ score: 2 }, { score: 1 }]);
});
