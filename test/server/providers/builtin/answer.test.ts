import { expect, test } from "vitest";
import { noData } from "../../../../server/protocol/tool-data.ts";
import { writeAnswer } from "../../../../server/providers/builtin/answer.ts";
import { stretchesIn } from "../../../../server/providers/builtin/evidence.ts";
import { withRarity } from "../../../../server/providers/builtin/known-words.ts";
import { readQuestion } from "../../../../server/providers/builtin/question.ts";

/** Two lines that a search found, and the check of a word that it found nowhere. */
function conversationAbout(question: string, { isChecked = true } = {}) {
  const passages = [{ resource: "demo", path: "a.ts", startLine: 1, lines: ["glob(files);"] }];
  const words = [
    { word: "glob", share: 1 },
    { word: "cache", share: 0 },
  ];
  const search = { tool: "search", input: { query: "glob" }, isFailed: false, ...noData, passages, words };
  const input = { pattern: "cach", regex: true, ignoreCase: true, limit: 1 };
  const check = { tool: "grep", input, isFailed: false, ...noData, unsearched: ["larger than 1 MB"] };
  const results = isChecked ? [search, check] : [search];
  return { question, earlier: [], resources: ["demo"], results };
}

function answer(conversation: ReturnType<typeof conversationAbout>, found: string[], coverage: number): string {
  const question = withRarity(readQuestion(conversation), conversation.results);
  const extracts = stretchesIn(conversation.results).map((stretch) => ({
    stretch,
    pieces: [{ startLine: 1, endLine: 1 }],
    reason: "uses `glob`",
    role: { type: "caller" as const, name: "glob" },
    score: 1,
    coverage,
    found: question.words.filter(({ word }) => found.includes(word)),
  }));
  return [...writeAnswer({ extracts, question, hits: [], misspellings: [], conversation })].join("");
}

test("a word that occurs nowhere is reported, with what was not searched for it", () => {
  const text = answer(conversationAbout("Which glob has a cache?"), ["glob"], 0.9);
  expect(text).toContain("\nNo match in demo for “cache”. Not searched: larger than 1 MB.\n");
});

test("a word that was not looked for in all files is not reported", () => {
  expect(answer(conversationAbout("Which glob has a cache?", { isChecked: false }), ["glob"], 0.9)).not.toContain(
    "No match",
  );
});

test.each<[string, string, string[], string]>([
  [
    "some words",
    "Which glob has a cache?",
    ["glob"],
    "No match in demo for “cache”. Not searched: larger than 1 MB. The closest lines mention “glob”:",
  ],
  [
    "all words",
    "Which glob?",
    ["glob"],
    "No lines in demo match the whole question. The closest lines mention “glob”:",
  ],
  [
    "no word",
    "Which cache is it?",
    [],
    "No match in demo for “cache”. Not searched: larger than 1 MB. Try words that the code would use, the name of a function, or a file name.",
  ],
])("the introduction to nearest lines that contain %s is consistent", (_, question, found, expected) => {
  expect(answer(conversationAbout(question), found, 0.1).split("\n")[0]).toBe(expected);
});

test("an unfinished search may have missed matches", () => {
  const results = [{ tool: "search", input: { query: "retry" }, isFailed: true, ...noData }];
  const conversation = { question: "Where is the retry?", earlier: [], resources: ["demo"], results };
  const question = readQuestion(conversation);
  const text = [...writeAnswer({ extracts: [], question, hits: [], misspellings: [], conversation })].join("");
  expect(text).toMatch(/^The search in demo did not finish in time, so it may have missed matches\./);
});
