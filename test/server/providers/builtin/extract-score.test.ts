import { expect, test } from "vitest";
import type { Hit, Stretch } from "../../../../server/providers/builtin/evidence.ts";
import { scoreOf } from "../../../../server/providers/builtin/extract-score.ts";
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

test("a place with all parts of a message counts more than one with a common part", () => {
  const question = asked("Error: shop with name 'a' already exists");
  const scoreWith = (part: string, length: number) =>
    scoreOf(hit, { coverage: 0.9, role: { type: "message", part, length, isThrown: true }, question });
  expect(scoreWith("shop with name", 28)).toBeGreaterThan(scoreWith("already exists", 14));
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
