import { expect, test } from "vitest";
import { ToolData } from "../../../../server/protocol/tool-data.ts";
import { writeAnswer } from "../../../../server/providers/builtin/answer.ts";
import { stretchesIn } from "../../../../server/providers/builtin/evidence.ts";
import { readQuestion } from "../../../../server/providers/builtin/question.ts";

test("a word that an extract has in other letters is not reported as missing", () => {
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
  expect(text).toContain("\nNone of them mentions “cached”.\n");
});

test("what was not searched to the end is not said to be missing", () => {
  const results = [{ tool: "search", input: { query: "retry" }, isFailed: true, ...ToolData.parse({}) }];
  const conversation = { question: "Where is the retry?", earlier: [], resources: ["demo"], results, steps: 3 };
  const question = readQuestion(conversation);
  const text = [...writeAnswer([], { question, misspellings: [], conversation })].join("");
  expect(text).toMatch(/^The search of demo did not finish in time, so there may be matches\./);
});
