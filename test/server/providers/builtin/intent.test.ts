import { describe, expect, test } from "vitest";
import {
  asksHow,
  type Focus,
  focusOf,
  type Intent,
  intentOf,
  isOverview,
  wantedBy,
} from "../../../../server/providers/builtin/intent.ts";
import type { ToolResult } from "../../../../server/providers/builtin/look.ts";
import { noData } from "../../../../server/protocol/tool-data.ts";

test.each<[string, Intent]>([
  ["my app is behind a proxy and the address is always the same, how do I get the real one", "usage"],
  ["a chapter is listed but its file is gone, what happens", "any"],
  ["two files include each other, does it loop forever", "any"],
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

test.each<[string, Focus]>([
  ["give me a tour of the code", "layout"],
  ["walk me through this project", "layout"],
  ["which file should I read first?", "start"],
  ["where do I start reading", "start"],
  ["what happens on startup", "start"],
  ["what happens when the server starts?", "start"],
  ["where does everything start when i run `shop` in the terminal?", "start"],
  ["where does sh begin when I type sh", "start"],
  ["which function gets called first when I run shop build", "start"],
  ["where should I start if I want to understand the code", "start"],
  ["I'd like to follow a sale from main down to the till", "start"],
  ["what are the main types", "start"],
  ["what are the core concepts of shop", "layout"],
  ["how does shop work under the hood", "layout"],
  ["in general, how does it sell a book", "layout"],
  ["what is book shop, in one sentence?", "purpose"],
  ["is this a library or a framework", "purpose"],
  ["why would I use shop?", "purpose"],
  ["what problem does it solve", "purpose"],
  ["what are its features", "purpose"],
  ["tl;dr of this project", "purpose"],
  ["shop in one sentence", "purpose"],
  ["can you describe the project", "purpose"],
  ["how is the code organized", "layout"],
  ["what's in which folder", "layout"],
  ["how does everything fit together", "layout"],
  ["describe the directory structure", "layout"],
  ["how is it built internally", "layout"],
  ["give me a map of the code", "layout"],
  ["what are the layers", "layout"],
  ["overview of the source tree", "layout"],
  ["how do I find my way around the code", "layout"],
  ["entry point?", "start"],
  ["which file runs first", "start"],
  ["what happens when I run shop", "start"],
  ["what is called when the app starts", "start"],
  ["how does the startup work", "start"],
  ["how does it boot", "start"],
  ["key data structures?", "start"],
  ["which classes matter most", "start"],
  ["what are all these crates", "parts"],
  ["list the modules and what they do", "parts"],
  ["what's the difference between the packages", "parts"],
  ["what are the packages in this monorepo", "parts"],
])("%s: an overview, %s first", (question, focus) => {
  expect(isOverview(question, { own: new Set(["shop"]), isFirst: true })).toBe(true);
  expect(focusOf(question)).toBe(focus);
});

test.each([
  "what happens when the timer starts",
  "which file should I read the key from",
  "walk me through the request handling",
  "what does the tour command do",
  "where does compaction begin",
  "how does the till work",
  "in general, how does the till open",
  "why would I use a till",
  "merge from main into the branch",
  "what is called when a sale starts",
  "what are the layers of a cake",
  "what happens when I run a sale",
  "how does a sale start",
])("no overview: %s", (question) => {
  expect(isOverview(question, { own: new Set(["shop"]), isFirst: true })).toBe(false);
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
