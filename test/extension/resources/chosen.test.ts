import { expect, test } from "vitest";
import { chosenNames, selectionAfter } from "../../../extension/features/resources/chosen.ts";

const all = ["a", "b", "c"];

test("an empty selection, or one of names that are gone, means all", () => {
  expect(chosenNames([], all)).toEqual(all);
  expect(chosenNames(["gone"], all)).toEqual(all);
  expect(chosenNames(["gone", "b"], all)).toEqual(["b"]);
});

function check(selection: string[], changes: Record<string, boolean>, expected: string[]): void {
  const list = Object.entries(changes).map(([name, isChecked]) => ({ name, isChecked }));
  expect(selectionAfter(list, { selection, all })).toEqual(expected);
}

test("a box that is cleared leaves the others", () => check([], { b: false }, ["a", "c"]));
test("a box that is ticked comes to the others, in their order", () => check(["c"], { a: true }, ["a", "c"]));
test("all of them are told as none, so that a new one counts by itself", () => check(["a", "c"], { b: true }, []));
test("none of them is all of them again", () => check(["a"], { a: false }, []));
