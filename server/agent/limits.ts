import type { Stopped, Usage } from "../protocol/ask.ts";

export interface AgentLimits {
  /** Calls of the model. */
  maxSteps: number;
  /** Tokens in and out, over all calls, as the provider counts them; what it does not report does not count. */
  maxTokens?: number | undefined;
  /** Milliseconds that one call, and the tools it asks for, may take. */
  providerTimeoutMs: number;
}

type Reached = "max-steps" | "max-tokens";
export type Room = { type: "open" } | { type: "last-step" | "none"; reached: Reached };

/**
 * What the limits leave after these steps: any number of further calls, one in which to answer, or none. A call sends
 * everything before it once more, so that it takes at least as many tokens as the one before.
 */
export function roomAfter(steps: readonly Usage[], { maxSteps, maxTokens = Infinity }: AgentLimits): Room {
  const used = totalTokens(steps);
  const next = steps.at(-1)?.totalTokens ?? 0;
  if (steps.length >= maxSteps) return { type: "none", reached: "max-steps" };
  if (used + next > maxTokens || used >= maxTokens) return { type: "none", reached: "max-tokens" };
  if (steps.length === maxSteps - 1) return { type: "last-step", reached: "max-steps" };
  if (used + 2 * next > maxTokens) return { type: "last-step", reached: "max-tokens" };
  return { type: "open" };
}

/** For people, in the answer's text and beside it. */
export function describeLimit(reached: Reached, { maxSteps, maxTokens }: AgentLimits): Stopped {
  const limit = reached === "max-steps" ? countOf(maxSteps, "step") : countOf(maxTokens ?? 0, "token");
  const setting = reached === "max-steps" ? "maxSteps" : "maxTokens";
  return {
    reason: reached,
    message: `The limit of ${limit} (${setting}) was reached: this is what had been read by then.`,
  };
}

export function sumUsage(steps: readonly Usage[]): Usage {
  const sum: Usage = {};
  for (const step of steps) {
    for (const key of ["inputTokens", "outputTokens", "reasoningTokens", "totalTokens"] as const) {
      const count = step[key];
      if (count !== undefined) sum[key] = (sum[key] ?? 0) + count;
    }
  }
  return sum;
}

function totalTokens(steps: readonly Usage[]): number {
  return sumUsage(steps).totalTokens ?? 0;
}

function countOf(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
