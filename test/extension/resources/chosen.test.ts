import { describe, expect, test } from "vitest";
import { chosenNames, selectionAfter } from "../../../extension/features/resources/chosen.ts";

const listed = (...names: string[]) => names.map((name) => ({ name, origin: "listed" as const }));
const abc = listed("a", "b", "c");
const project = [
  { name: "app", origin: "project" as const },
  ...listed("a"),
  { name: "express", origin: "default" as const },
];

test("without a selection, or with one of names that are gone, all are chosen", () => {
  expect(chosenNames([], abc)).toEqual(["a", "b", "c"]);
  expect(chosenNames(["gone"], abc)).toEqual(["a", "b", "c"]);
  expect(chosenNames(["gone", "b"], abc)).toEqual(["b"]);
});

test("beside an open project the defaults are chosen only when they are ticked", () => {
  expect(chosenNames([], project)).toEqual(["app", "a"]);
  expect(chosenNames(["express"], project)).toEqual(["express"]);
});

describe("the selection after", () => {
  function check(
    selection: string[],
    changes: Record<string, boolean>,
    expected: string[],
    listings: Parameters<typeof chosenNames>[1] = abc,
  ): void {
    const list = Object.entries(changes).map(([name, isChecked]) => ({ name, isChecked }));
    expect(selectionAfter(list, { selection, listings }).names).toEqual(expected);
  }
  test("a box is cleared: the others", () => check([], { b: false }, ["a", "c"]));
  test("a box is ticked: it and the others, in their order", () => check(["c"], { a: true }, ["a", "c"]));
  test("all are ticked: none, so that a new one joins them", () => check(["a", "c"], { b: true }, []));
  test("the last is cleared: all again", () => check(["a"], { a: false }, []));
  test("only the last one that is cleared leaves none", () => {
    const isNone = (selection: string[], name: string) =>
      selectionAfter([{ name, isChecked: false }], { selection, listings: project }).isNone;
    expect(isNone(["app"], "app")).toBe(true);
    // Its absence is the usual selection, which is kept as empty.
    expect(isNone(["app", "a", "express"], "express")).toBe(false);
  });
  test("a default is ticked beside the project", () => check([], { express: true }, ["app", "a", "express"], project));
});
