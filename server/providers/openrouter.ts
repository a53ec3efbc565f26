import type { ProviderDefinition } from "./definition.ts";

/** A gateway to the models of many vendors. https://openrouter.ai/docs/api-reference/overview */
export const openrouter: ProviderDefinition = {
  name: "OpenRouter",
  auth: ["api"],
  envVars: ["OPENROUTER_API_KEY"],
  baseURL: "https://openrouter.ai/api/v1",
  // Suffixes such as `:nitro` and `:online` choose a route and are not listed.
  api: { wire: "openai", listedAs: (model) => model.replace(/:[a-z]+$/, "") },
  pricedAs: (model) => ({ type: "listed", place: { providerId: "openrouter" }, model }),
  async openModel(model, { baseURL, fetch, account }) {
    const { createOpenRouter } = await import("@openrouter/ai-sdk-provider");
    const key = account.type === "key" ? { apiKey: account.key } : {};
    return createOpenRouter({ baseURL, fetch, compatibility: "strict", ...key }).chat(model);
  },
};
