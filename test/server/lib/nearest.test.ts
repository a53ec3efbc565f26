import { expect, test } from "vitest";
import { nearest } from "../../../server/lib/nearest.ts";

test.each([
  ["expres", ["express", "zod"], ["express"]],
  ["expers", ["express"], ["express"]],
  ["hedaer", ["headers"], ["headers"]],
  ["EXPRESS", ["express"], ["express"]],
  ["query", ["react-query", "vue-query", "zod"], ["react-query", "vue-query"]],
  ["svelte", ["express", "zod"], []],
  ["ab", ["abandoned"], []],
])("%s among %j", (wanted, candidates, expected) => expect(nearest(wanted, candidates)).toEqual(expected));
