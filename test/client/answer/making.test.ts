import { expect, test } from "vitest";
import { makingOf } from "../../../client/answer/making.ts";
import type { Answer } from "../../../server/protocol/ask.ts";
import { english } from "../../../server/protocol/answer-words.ts";

const model = { provider: "", model: "" };

const check = (answer: Partial<Answer>, expected: string[]) => expect(makingOf({ model, ...answer })).toEqual(expected);

test.each([
  [0, "0 ms"],
  [640.4, "640 ms"],
  [999.6, "1.0 s"],
  [59_960, "1 min 0 s"],
  [125_000, "2 min 5 s"],
])("%s ms is %s", (totalMs, expected) => check({ metrics: { timing: { totalMs, genMs: 0 } } }, [expected]));

test.each([
  [0, "US$0.0000"],
  [0.0312, "US$0.0312"],
  [1.5, "US$1.50"],
  [1234.5, "US$1,234.50"],
])("%s dollars are %s", (total, expected) => {
  const costUsd = { input: 0, output: 0, total };
  const pricing = { source: "s", modelKey: "m", ratesUsdPerMTokens: { input: 1, output: 2 }, costUsd };
  check({ metrics: { pricing } }, [expected]);
});

test.each<[Answer["usage"], string[]]>([
  [{ inputTokens: 1_234_567, outputTokens: 640 }, ["1,234,567 tokens in, 640 out"]],
  [{ inputTokens: 20, outputTokens: 0, cacheReadTokens: 15 }, ["20 tokens in (15 cached), 0 out"]],
  [{ totalTokens: 12 }, ["12 tokens"]],
  [{ inputTokens: 12 }, ["12 tokens"]],
  [{ inputTokens: 0, outputTokens: 0 }, []],
  [{}, []],
  [undefined, []],
])("of %j, %j is said", (usage, expected) => check({ usage }, expected));

test("numbers are written as the language does", () => {
  const language = { ...english, locale: "de" };
  const metrics = { timing: { totalMs: 12_345, genMs: 0 } };
  const answer = { model: { provider: "a", model: "b" }, usage: { inputTokens: 1234, outputTokens: 5 }, metrics };
  expect(makingOf(answer, language)).toEqual(["a/b", "12,3 s", "1.234 tokens in, 5 out"]);
});
