import { describe, expect, test } from "vitest";
import { asksHow, type Intent, intentOf, wantedBy } from "../../../../server/providers/builtin/intent.ts";
import type { ToolResult } from "../../../../server/providers/builtin/look.ts";
import { noData } from "../../../../server/protocol/tool-data.ts";

test.each<[string, Intent]>([
  ["cannot open file, is it locked by another process", "message"],
  ["connect ECONNREFUSED 127.0.0.1:80, what a pity", "message"],
  ["which function decides that a package is left out", "any"],
  ["which functions read the configuration", "listing"],
  ["where does a request arrive, and how does my handler get called", "definition"],
  ["where is parseUrl called", "callers"],
  ["where is it decided which till gets used", "definition"],
  ["where in the router is parseUrl called", "callers"],
  ["what in the router calls parseUrl", "callers"],
  ["where is UrlParser instantiated", "callers"],
  ["what creates the session", "any"],
])("%s: %s", (question, intent) => {
  expect(intentOf(question)).toBe(intent);
});

test.each<[string, boolean]>([
  ["how does the pool decide what to close", true],
  ["which code closes idle connections", true],
  ["a test fails halfway, what happens to the others", true],
  ["how should a commit message look", false],
  ["how is it different from other tools", false],
  ["how does it compare to make", false],
  ["which options are there", false],
])("%s asks how code does it: %s", (question, expected) => {
  expect(asksHow(question)).toBe(expected);
});

describe("a text without a question is", () => {
  const asked = "shut the server down gracefully";
  const results = (path: string, line: string): ToolResult[] => [
    {
      ...noData,
      tool: "grep",
      input: {},
      isFailed: false,
      passages: [{ resource: "shop", path, startLine: 1, lines: [line] }],
    },
  ];

  test("a message before anything was looked up", () => expect(wantedBy(asked, [])).toBe("message"));

  test("a message if code has it", () =>
    expect(wantedBy(asked, results("src/close.ts", 'log("shut the server down");'))).toBe("message"));

  test("what somebody wants to do if only a document has its words, or code common ones", () => {
    expect(wantedBy(asked, results("docs/close.md", "To shut the server down, call it."))).toBe("usage");
    const common = "if there is none of them, close the till";
    expect(wantedBy(common, results("src/close.ts", "// not a till if there is none"))).toBe("usage");
  });

  test("a description if it is written as one", () =>
    expect(wantedBy("Reads the cache if it exists.", results("src/other.ts", "read();"))).toBe("definition"));
});
