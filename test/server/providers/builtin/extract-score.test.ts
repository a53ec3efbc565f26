import { expect, test } from "vitest";
import type { Hit, Stretch } from "../../../../server/providers/builtin/evidence.ts";
import { isLesser, scoreOf } from "../../../../server/providers/builtin/extract-score.ts";
import { readQuestion } from "../../../../server/providers/builtin/question.ts";

const stretch: Stretch = {
  target: "shop:src/keys.c",
  resource: "shop",
  path: "src/keys.c",
  startLine: 1,
  endLine: 1,
  lines: ["void removeKeys(void) {}"],
  definitions: [],
  isDocument: false,
  isTest: false,
};
const hit: Hit = { stretch, startLine: 1, endLine: 1, tool: "search", rank: 0, pattern: undefined };

function asked(question: string) {
  return readQuestion({ question, earlier: [], resources: ["shop"], results: [] });
}

test("the half of a short form is no word of a question", () => {
  const { words } = asked("why doesn't the till open, and wasnt it there");
  expect(words.map(({ word }) => word)).toEqual(["till", "open"]);
});

test("what a reader does with the answer is no strong word", () => {
  const { words } = asked("how does it figure out the price");
  expect(words.flatMap(({ word, isStrong }) => (isStrong ? [word] : []))).toEqual(["price"]);
});

test("a place with all parts of a message counts more than one with a common part", () => {
  const question = asked("Error: shop with name 'a' already exists");
  const scoreWith = (part: string, length: number) =>
    scoreOf(hit, { coverage: 0.9, role: { type: "message", part, length, isThrown: true }, question });
  expect(scoreWith("shop with name", 28)).toBeGreaterThan(scoreWith("already exists", 14));
});

test("of two compared things the section about both counts more than that of one", () => {
  const question = asked("difference between cash and card orders?");
  const own: Hit = { ...hit, stretch: { ...stretch, isDocument: true } };
  const scoreOfSection = (name: string) =>
    scoreOf(own, { coverage: 0.9, role: { type: "definition", name, fit: 0.5 }, question });
  expect(scoreOfSection("Choosing between cash and card orders")).toBeGreaterThan(scoreOfSection("Cash orders"));
});

test("a use within the definition of a name counts less than a later one elsewhere", () => {
  const question = asked("who uses Alarm?");
  const scoreAt = (startLine: number, rank: number) => {
    const definitions = [{ name: "Alarm", line: 1, startLine: 1, endLine: 5 }];
    const own: Hit = {
      ...hit,
      stretch: { ...stretch, definitions },
      startLine,
      endLine: startLine,
      tool: "references",
      rank,
    };
    return scoreOf(own, { coverage: 0.9, role: { type: "caller", name: "Alarm" }, question });
  };
  expect(scoreAt(8, 9)).toBeGreaterThan(scoreAt(3, 0));
});

test.each([
  ["AGENTS.md", "can I fake the answers of a till", true],
  [".ai/guidelines.md", "can I fake the answers of a till", true],
  ["docs/ROADMAP-1.0.md", "can I fake the answers of a till", true],
  ["AGENTS.md", "what do agents have to know", false],
  ["CONTRIBUTING.md", "how do I send a patch", false],
  ["CONTRIBUTING.md", "how are the tests run", false],
  ["docs/guide.md", "can I fake the answers of a till", false],
  ["ChangeLog", "what does TILL_OPEN do", true],
  ["ChangeLog", "what is new in TILL_OPEN", false],
  ["src/history.c", "what does TILL_OPEN do", false],
  ["CHANGELOG.md", "how does it notice that a price changed", true],
  ["CHANGELOG.md", "what changed in the last till", false],
  ["docs/7.0-API-Migration.md", "which till does it open", true],
])("%s is lesser for “%s”: %j", (path, text, expected) => {
  expect(isLesser({ ...stretch, path }, asked(text))).toBe(expected);
});
