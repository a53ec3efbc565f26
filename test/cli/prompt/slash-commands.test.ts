import { describe, expect, test } from "vitest";
import { completeWord } from "../../../cli/prompt/complete.ts";
import { readCommand, slashCommands } from "../../../cli/prompt/slash-commands.ts";

describe("a line is a command or a question", () => {
  const check = (line: string, isCommand: boolean) =>
    test(JSON.stringify(line), () => expect(readCommand(line) !== undefined).toBe(isCommand));

  check("+", true);
  check("+ 1?", false);
  check("/help", true);
  check("/RESOURCES", true);
  check('/add "./my lib" -n lib', true);
  check("/", true);
  check("/constructor", true);
  check("/api/users: who answers it?", false);
  check("What is /help?", false);
  check("one\n  two", false);
});

test("every command completes by its name", () => {
  const { typed, items } = completeWord("/", { resources: [] });
  expect(typed).toBe("/");
  expect(items.map(({ word }) => word)).toEqual(Object.keys(slashCommands).map((name) => `/${name} `));
});
