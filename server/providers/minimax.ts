import type { ProviderDefinition } from "./definition.ts";
import { openMessages } from "./wires.ts";

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
  openModel: openMessages,
};
