import type { ProviderDefinition } from "./definition.ts";
import { openMessages } from "./wires.ts";

/** Anthropic's API, with a key. */
export const anthropic: ProviderDefinition = {
  name: "Anthropic",
  auth: ["api"],
  envVars: ["ANTHROPIC_API_KEY"],
  baseURL: "https://api.anthropic.com/v1",
  api: { wire: "anthropic" },
  pricedAs: (model) => ({ type: "listed", place: { providerId: "anthropic" }, model }),
  openModel: openMessages,
};
