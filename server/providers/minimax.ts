import type { ProviderDefinition } from "./definition.ts";
import { openMessages, withCalls } from "./wires.ts";

/**
 * Uses the Anthropic format, which separates reasoning from text. https://platform.minimax.io/docs/api-reference/text-anthropic-api
 */
export const minimax: ProviderDefinition = {
  name: "MiniMax",
  auth: ["api"],
  envVars: ["MINIMAX_API_KEY"],
  baseURL: "https://api.minimax.io/anthropic/v1",
  api: { wire: "anthropic" },
  pricedAs: (model) => ({ type: "listed", place: { providerId: "minimax" }, model }),
  openModel: async (model, settings) =>
    withCalls(await openMessages(model, settings), async ({ params }) => ({
      ...params,
      maxOutputTokens: params.maxOutputTokens ?? outputTokenLimit,
    })),
};

/** The SDK limits unknown models to 4096 output tokens, which reasoning alone can use up. */
const outputTokenLimit = 32_000;
