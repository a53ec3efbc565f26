import type { Stopped, Usage } from "../protocol/ask.ts";

export interface AgentLimits {
  /** Calls of the model. */
  maxSteps: number;
  /** Tokens in and out, over all calls, as the provider counts them; what it does not report does not count. */
  maxTokens?: number | undefined;
  /** US$, over all calls, as `costOf` knows them. */
  maxCostUsd?: number | undefined;
  /** What one call cost; undefined where nothing is known of it. */
  costOf?: ((step: Usage) => number) | undefined;
  /** Milliseconds that one call, and the tools it asks for, may take. */
  providerTimeoutMs: number;
}

/** A slower tool is stopped, and its result says so. */
export const toolTimeoutMs = 20_000;

type Reached = "max-steps" | "max-tokens" | "max-cost";
export type Room = { type: "open" } | { type: "last-step" | "none"; reached: Reached };

/**
 * What the limits leave after these steps: any number of further calls, one in which to answer, or none. A call sends
 * everything before it once more, so that it takes at least as many tokens, and as much money, as the one before.
 */
export function budgetAfter(steps: readonly Usage[], limits: AgentLimits): Room {
  const { maxSteps, maxTokens = Infinity, maxCostUsd = Infinity, costOf = () => 0 } = limits;
  const budgets = [
    { reached: "max-tokens", spent: steps.map(({ totalTokens = 0 }) => totalTokens), limit: maxTokens },
    { reached: "max-cost", spent: steps.map(costOf), limit: maxCostUsd },
  ] as const;
  if (steps.length >= maxSteps) return { type: "none", reached: "max-steps" };
  const spentUp = budgets.find(({ spent, limit }) => callsLeft(spent, limit) === 0);
  if (spentUp !== undefined) return { type: "none", reached: spentUp.reached };
  if (steps.length === maxSteps - 1) return { type: "last-step", reached: "max-steps" };
  const nearlySpent = budgets.find(({ spent, limit }) => callsLeft(spent, limit) === 1);
  if (nearlySpent !== undefined) return { type: "last-step", reached: nearlySpent.reached };
  return { type: "open" };
}

/** How many calls like the last one fit into the remaining budget, at most 2. */
function callsLeft(spent: readonly number[], limit: number): 0 | 1 | 2 {
  const used = spent.reduce((sum, one) => sum + one, 0);
  const next = spent.at(-1) ?? 0;
  if (used >= limit || used + next > limit) return 0;
  return used + 2 * next > limit ? 1 : 2;
}

/** Describes it for people, in the answer's text and beside it. */
export function describeLimit(reached: Reached, { maxSteps, maxTokens = 0, maxCostUsd = 0 }: AgentLimits): Stopped {
  const [limit, setting] = {
    "max-steps": [countOf(maxSteps, "step"), "maxSteps"],
    "max-tokens": [countOf(maxTokens, "token"), "maxTokens"],
    "max-cost": [`US$ ${maxCostUsd}`, "maxCostUsd"],
  }[reached];
  return {
    reason: reached,
    message: `The limit of ${limit} (${setting}) was reached: this is what had been read by then.`,
  };
}

export function sumUsage(steps: readonly Usage[]): Usage {
  const sum: Usage = {};
  for (const step of steps) {
    for (const key of usageKeys) {
      const count = step[key];
      if (count !== undefined) sum[key] = (sum[key] ?? 0) + count;
    }
  }
  return sum;
}

const usageKeys = [
  "inputTokens",
  "outputTokens",
  "reasoningTokens",
  "totalTokens",
  "cacheReadTokens",
  "cacheWriteTokens",
] as const;

function countOf(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
