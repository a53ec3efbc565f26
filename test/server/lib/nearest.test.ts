import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createNearTest, nearest } from "../../../server/lib/nearest.ts";
import { editDistance } from "../../../server/protocol/edit-distance.ts";

test.each([
  ["expres", ["express", "zod"], ["express"]],
  ["expers", ["express"], ["express"]],
  ["hedaer", ["headers"], ["headers"]],
  ["EXPRESS", ["express"], ["express"]],
  ["query", ["react-query", "vue-query", "zod"], ["react-query", "vue-query"]],
  ["svelte", ["express", "zod"], []],
  ["ab", ["abandoned"], []],
  ["foo", ["zod", "fo"], ["fo"]],
])("%s among %j", (wanted, candidates, expected) => expect(nearest(wanted, candidates)).toEqual(expected));

test("a distance within the limit equals the distance without a limit", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 7 });
  fc.assert(
    fc.property(word, word, fc.nat(3), (a, b, limit) => {
      const distance = editDistance(a, b);
      expect(editDistance(a, b, { limit })).toBe(distance > limit ? Infinity : distance);
    }),
  );
});

test("near names pass the quick filter", () => {
  const isLeft = (wanted: string, name: string) =>
    createNearTest(["zzzzzzzzz", wanted])(`folder/${name}.ts`, { from: 7, to: 7 + name.length });
  const word = fc.string({ unit: fc.constantFrom("a", "B", "c", "É", "é", "K", "1", "-"), maxLength: 6 });
  fc.assert(
    fc.property(word, word, (wanted, name) => {
      fc.pre(nearest(wanted, [name]).length > 0);
      expect(isLeft(wanted, name)).toBe(true);
    }),
  );
  expect(isLeft("header", "reader")).toBe(true);
  expect(["index", "he", "settings-page"].filter((name) => isLeft("header", name))).toEqual([]);
});
