import { expect, test } from "vitest";
import { budgetAfter, sumUsage } from "../../../server/agent/limits.ts";

const open = "open";

interface Limits {
  maxSteps?: number;
  maxTokens?: number;
  maxCostUsd?: number;
}

/** Each token costs a dollar. */
function check(totals: number[], limits: Limits, expected: string) {
  const costOf = ({ totalTokens = 0 }) => totalTokens;
  const steps = totals.map((totalTokens) => ({ totalTokens }));
  const room = budgetAfter(steps, { maxSteps: 10, providerTimeoutMs: 1, costOf, ...limits });
  expect(room.type === "open" ? room.type : `${room.type}: ${room.reached}`).toBe(expected);
}

test.each([
  [[], {}, open],
  [[], { maxSteps: 1 }, "last-step: max-steps"],
  [[10], { maxSteps: 1 }, "none: max-steps"],
  [[10], { maxSteps: 2 }, "last-step: max-steps"],
  [[10, 10], { maxSteps: 4 }, open],
  [[], { maxTokens: 1 }, open],
  [[10], { maxTokens: 30 }, open],
  [[10], { maxTokens: 29 }, "last-step: max-tokens"],
  [[10], { maxTokens: 19 }, "none: max-tokens"],
  [[10, 40], { maxTokens: 130 }, open],
  [[10, 40], { maxTokens: 129 }, "last-step: max-tokens"],
  [[10], { maxTokens: 10 }, "none: max-tokens"],
  [[0, 0], { maxTokens: 10 }, open],
  [[], { maxCostUsd: 0.1 }, open],
  [[10], { maxCostUsd: 30 }, open],
  [[10], { maxCostUsd: 29 }, "last-step: max-cost"],
  [[10], { maxCostUsd: 19 }, "none: max-cost"],
  [[10], { maxTokens: 29, maxCostUsd: 19 }, "none: max-cost"],
  [[10], { maxTokens: 19, maxCostUsd: 29 }, "none: max-tokens"],
  [[10], { maxSteps: 2, maxCostUsd: 19 }, "none: max-cost"],
])("after steps of %j tokens, %j leave: %s", (totals, limits, expected) => check(totals, limits, expected));

test("sums what was reported, and nothing else", () => {
  expect(sumUsage([{ inputTokens: 1, totalTokens: 2 }, {}, { inputTokens: 3 }])).toEqual({
    inputTokens: 4,
    totalTokens: 2,
  });
});
