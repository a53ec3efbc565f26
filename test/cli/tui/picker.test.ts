import { expect, test } from "vitest";
import { matchChoices } from "../../../cli/tui/picker.ts";

const labels = ["/copy", "/copy-all", "/connect", "/clear", "my copy"];

test.each([
  ["", labels],
  ["cop", ["/copy", "/copy-all", "my copy"]],
  ["COP", ["/copy", "/copy-all", "my copy"]],
  ["cal", ["/copy-all"]],
  ["cpy", ["/copy", "/copy-all", "my copy"]],
  ["zz", []],
])("%j", (query, expected) => {
  expect(
    matchChoices(
      labels.map((label) => ({ label })),
      query,
    ).map(({ label }) => label),
  ).toEqual(expected);
});
