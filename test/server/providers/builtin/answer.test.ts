import { expect, test } from "vitest";
import { ToolData } from "../../../../server/protocol/tool-data.ts";
import { writeAnswer } from "../../../../server/providers/builtin/answer.ts";
import { stretchesIn } from "../../../../server/providers/builtin/evidence.ts";
import { readQuestion } from "../../../../server/providers/builtin/question.ts";

test("a word that an extract contains in another spelling is not reported as unmatched", () => {
  const passages = [{ resource: "demo", path: "a.ts", startLine: 1, lines: ["glob(files);"] }];
  const results = [{ tool: "grep", input: { pattern: "glob" }, isFailed: false, ...ToolData.parse({ passages }) }];
  const conversation = { question: "Which Glob is cached?", earlier: [], resources: ["demo"], results, steps: 1 };
  const extracts = stretchesIn(results).map((stretch) => ({
    stretch,
    pieces: [{ startLine: 1, endLine: 1 }],
    reason: "uses `glob`",
    role: { type: "caller" as const, name: "glob" },
    score: 1,
    coverage: 0.9,
    found: [{ word: "glob", stems: ["glob"], isStrong: true }],
  }));
  const question = readQuestion(conversation);
  const text = [...writeAnswer(extracts, { question, misspellings: [], conversation })].join("");
  expect(text).toContain("\nNo extract mentions “cached”.\n");
});

test.each<[string, string[], string]>([
  ["some words", ["glob"], "No match in demo for “cached”. The closest lines mention “glob”:"],
  [
    "all words",
    ["glob", "cached"],
    "No lines in demo match the whole question. The closest lines mention “glob” and “cached”:",
  ],
  ["no word", [], "No match in demo for “glob” or “cached”. The closest lines:"],
])("the introduction to nearest lines that contain %s is consistent", (_, found, expected) => {
  const passages = [{ resource: "demo", path: "a.ts", startLine: 1, lines: ["glob(files);"] }];
  const results = [{ tool: "search", input: { query: "glob" }, isFailed: false, ...ToolData.parse({ passages }) }];
  const conversation = { question: "Which glob is cached?", earlier: [], resources: ["demo"], results, steps: 1 };
  const question = readQuestion(conversation);
  const extracts = stretchesIn(results).map((stretch) => ({
    stretch,
    pieces: [{ startLine: 1, endLine: 1 }],
    reason: "matches",
    role: { type: "mention" as const },
    score: 0.1,
    coverage: 0.1,
    found: question.words.filter(({ word }) => found.includes(word)),
  }));
  const text = [...writeAnswer(extracts, { question, misspellings: [], conversation })].join("");
  expect(text.split("\n")[0]).toBe(expected);
});

test("an unfinished search may have missed matches", () => {
  const results = [{ tool: "search", input: { query: "retry" }, isFailed: true, ...ToolData.parse({}) }];
  const conversation = { question: "Where is the retry?", earlier: [], resources: ["demo"], results, steps: 3 };
  const question = readQuestion(conversation);
  const text = [...writeAnswer([], { question, misspellings: [], conversation })].join("");
  expect(text).toMatch(/^The search in demo did not finish in time, so it may have missed matches\./);
});
