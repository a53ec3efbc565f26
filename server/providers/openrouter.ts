import type { ProviderDefinition } from "./definition.ts";
import { breakpoints, withBreakpoints } from "./prompt-cache.ts";
import { withCalls } from "./wires.ts";

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
    const chat = createOpenRouter({ baseURL, fetch, compatibility: "strict", ...key }).chat(model);
    // Other vendors' models are cached without being asked for it.
    if (!model.startsWith("anthropic/")) return chat;
    return withCalls(chat, async ({ params }) => withBreakpoints(params, breakpoints.openrouter));
  },
};
