import { expect, test } from "vitest";
import { matchChoices } from "../../../cli/prompt/picker.ts";

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

test.each([
  ["echo", ["How does echo work?"]],
  ["ech wrk", ["How does echo work?"]],
  ["unknown", ["What happens with an unknown content type, and which one does it choose?"]],
])("in long lines: %j", (query, expected) => {
  const lines = ["What happens with an unknown content type, and which one does it choose?", "How does echo work?"];
  expect(
    matchChoices(
      lines.map((label) => ({ label })),
      query,
    ).map(({ label }) => label),
  ).toEqual(expected);
});
