import { expect, test } from "vitest";
import * as z from "zod";
import { readFields } from "../../../server/protocol/read-fields.ts";

const Schema = z.object({
  text: z.string(),
  note: z.string().nullish(),
  count: z.int().default(3),
  place: z.object({ path: z.string(), line: z.int().optional() }).optional(),
  parts: z.array(z.object({ id: z.string(), hint: z.string().optional() })).optional(),
  byName: z.record(z.string(), z.object({ a: z.int().optional() })).optional(),
  open: z.looseObject({ a: z.string().optional() }).optional(),
  any: z.unknown().optional(),
  kind: z
    .discriminatedUnion("type", [
      z.object({ type: z.literal("git"), url: z.string() }),
      z.object({ type: z.literal("npm"), package: z.string(), version: z.string().optional() }),
    ])
    .optional(),
  either: z.union([z.string(), z.object({ key: z.string(), more: z.int().optional() })]).optional(),
});

const valueOf = (input: unknown) => readFields(Schema, input).value;
const unknownOf = (input: unknown) => readFields(Schema, input).unknown.map(({ path, name }) => [...path, name]);

test("null is a field left out, at any depth", () => {
  const input = {
    text: "a",
    count: null,
    place: { path: "p", line: null },
    parts: [{ id: "1", hint: null }],
    byName: { x: { a: null } },
    kind: { type: "npm", package: "ms", version: null },
    either: { key: "k", more: null },
  };
  expect(valueOf(input)).toEqual({
    text: "a",
    place: { path: "p" },
    parts: [{ id: "1" }],
    byName: { x: {} },
    kind: { type: "npm", package: "ms" },
    either: { key: "k" },
  });
  expect(unknownOf(input)).toEqual([]);
});

test("null stays where the schema has a meaning for it", () => {
  expect(valueOf({ text: "a", note: null, any: null })).toEqual({ text: "a", note: null, any: null });
});

test("unknown fields are listed with their place, and left out where the schema does not take them", () => {
  const input = {
    text: "a",
    extra: 1,
    place: { path: "p", row: 2 },
    parts: [{ id: "1" }, { id: "2", tip: "t" }],
    open: { b: 1 },
    kind: { type: "npm", package: "ms", url: "u" },
    either: { key: "k", less: 1 },
  };
  expect(unknownOf(input)).toEqual([
    ["extra"],
    ["place", "row"],
    ["parts", 1, "tip"],
    ["open", "b"],
    ["kind", "url"],
    ["either", "less"],
  ]);
  expect(valueOf(input)).toEqual({
    text: "a",
    place: { path: "p" },
    parts: [{ id: "1" }, { id: "2" }],
    open: { b: 1 },
    kind: { type: "npm", package: "ms" },
    either: { key: "k" },
  });
});

test("a field that an open object keeps is marked", () => {
  expect(readFields(Schema, { text: "a", extra: 1, open: { b: 1 } }).unknown).toMatchObject([
    { name: "extra", isKept: false, known: expect.arrayContaining(["text", "note"]) },
    { name: "b", isKept: true, known: ["a"] },
  ]);
});

test("an unknown field that is null or undefined says nothing", () => {
  expect(unknownOf({ text: "a", extra: null, other: undefined })).toEqual([]);
});

test.each([[null], ["text"], [7], [[]], [{ kind: { type: "svn" } }], [{ place: "p" }], [{ parts: {} }]])(
  "%j is left to the schema",
  (input) => expect(valueOf(input)).toEqual(input),
);

test("names of Object's prototype are unknown", () => {
  const input: unknown = JSON.parse('{"text": "a", "__proto__": {"x": 1}, "constructor": 1}');
  expect(unknownOf(input)).toEqual([["__proto__"], ["constructor"]]);
});
