import type { ModelMessage } from "ai";

/** The share of the model's context above which old tool results are left out. */
const fullShare = 0.6;
/** The context of a model that no catalogue lists, in tokens. */
const usualContextTokens = 128_000;
/** The newest results always stay: the model has not worked with them yet. */
const keptResults = 2;
/** Leaving out a shorter result saves too little, in UTF-16 units. */
const shortResult = 400;

export const leftOut = "(Left out to save room. Call the tool again if you need it.)";

export interface Condenser {
  /** The messages of a call without old tool results; undefined if there is room for all of them. */
  condense(messages: readonly ModelMessage[], lastInputTokens: number): ModelMessage[] | undefined;
  /** Whether the result of a tool call is left out by now. */
  isLeftOut(toolCallId: string): boolean;
}

/**
 * Creates the condenser of one run. What is left out stays out, so that the calls share a prefix that providers cache.
 * Citations stay valid: the ledger keeps the lines that were shown.
 */
export function createCondenser(contextTokens: number = usualContextTokens): Condenser {
  let condensedCount = 0;
  const condensedCalls = new Set<string>();
  return {
    condense(messages, lastInputTokens) {
      const results = messages.filter(({ role }) => role === "tool");
      if (lastInputTokens > fullShare * contextTokens)
        condensedCount = Math.max(condensedCount, results.length - keptResults);
      if (condensedCount === 0) return undefined;
      const condensed = new Set(results.slice(0, condensedCount));
      return messages.map((message) =>
        condensed.has(message) && message.role === "tool" ? withoutLongResults(message) : message,
      );
    },
    isLeftOut: (toolCallId) => condensedCalls.has(toolCallId),
  };

  function withoutLongResults(message: Extract<ModelMessage, { role: "tool" }>): ModelMessage {
    const content = message.content.map((part) => {
      if (part.type !== "tool-result" || part.output.type !== "text" || part.output.value.length <= shortResult)
        return part;
      condensedCalls.add(part.toolCallId);
      return { ...part, output: { type: "text" as const, value: leftOut } };
    });
    return { ...message, content };
  }
}
