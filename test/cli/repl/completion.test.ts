import { expect, test } from "vitest";
import { completeWord } from "../../../cli/prompt/complete.ts";
import { toReadline } from "../../../cli/repl/repl.ts";

const resources = ["express", "zod", "@tanstack/query"].map((name) => ({ name, type: "npm" }));

test.each([
  ["/rem", ["/remove "], "/rem"],
  ["/REM", ["/remove "], "/REM"],
  ["/n", ["/new "], "/n"],
  ["@ex", ["@express "], "@ex"],
  ["How does (@z", ["@zod "], "@z"],
  ["and @tan", ["@tanstack/query "], "@tan"],
  // Readline can only append: what only contains the word is no completion.
  ["@query", [], "@query"],
  ["@nothing", [], "@nothing"],
  ["a@ex", [], ""],
  ["What is ex", [], ""],
  ["see /re", [], ""],
] satisfies [string, string[], string][])("Tab after %j", (text, words, typed) => {
  expect(toReadline(completeWord(text, { resources }))).toEqual([words, typed]);
});
