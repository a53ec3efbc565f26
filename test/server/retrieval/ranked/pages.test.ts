import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createPages } from "../../../../server/retrieval/ranked/pages.ts";

interface Found {
  score: number;
}

/** Reads file by file until nothing can change. */
function read(files: readonly Found[][], options: { offset: number; limit: number }) {
  const pages = createPages<Found>(options);
  for (const file of files) {
    if (pages.isSettled()) break;
    pages.add(file);
  }
  return { page: pages.page(), hasMore: pages.hasMore() };
}

function page(files: readonly Found[][], options: { offset: number; limit: number }): Found[] {
  return read(files, options).page;
}

const files = fc.array(fc.array(fc.record({ score: fc.nat(9) }), { maxLength: 4 }), { maxLength: 12 });

test("pages have everything once, best first", () => {
  fc.assert(
    fc.property(files, fc.integer({ min: 1, max: 6 }), (files, limit) => {
      const all = files.flat();
      const pages = Array.from({ length: Math.ceil(all.length / limit) + 1 }, (_, number) =>
        page(files, { offset: number * limit, limit }),
      );
      expect(new Set(pages.flat())).toEqual(new Set(all));
      expect(pages.flat()).toHaveLength(all.length);
      for (const one of pages) expect(one).toEqual([...one].sort((a, b) => b.score - a.score));
    }),
  );
});

test("what was shown in part goes on where it was cut", () => {
  fc.assert(
    fc.property(files, fc.nat(20), fc.integer({ min: 1, max: 6 }), (files, offset, limit) => {
      const first = page(files, { offset, limit });
      expect(page(files, { offset: offset + 1, limit }).slice(0, limit - 1)).toEqual(first.slice(1));
    }),
  );
});

test("a page says whether anything follows it", () => {
  fc.assert(
    fc.property(files, fc.nat(20), fc.integer({ min: 1, max: 6 }), (files, offset, limit) => {
      expect(read(files, { offset, limit }).hasMore).toBe(files.flat().length > offset + limit);
    }),
  );
});
