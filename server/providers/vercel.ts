import type { ProviderDefinition } from "./definition.ts";
import { openChatCompletions } from "./chat-completions/open.ts";
import { openMessages } from "./wires.ts";

/** A gateway to many vendors' models, at list prices. https://vercel.com/docs/ai-gateway/pricing */
export const vercel: ProviderDefinition = {
  name: "Vercel AI Gateway",
  auth: ["api"],
  envVars: ["AI_GATEWAY_API_KEY"],
  baseURL: "https://ai-gateway.vercel.sh/v1",
  api: { wire: "openai" },
  pricedAs(model) {
    const [maker = "", ...rest] = model.split("/");
    return rest.length === 0 ? undefined : { type: "listed", place: { providerId: maker }, model: rest.join("/") };
  },
  /** Only Anthropic's own format has breakpoints for the cache. https://vercel.com/docs/ai-gateway/sdks-and-apis/anthropic-messages-api */
  openModel: (model, settings) =>
    (model.startsWith("anthropic/") ? openMessages : openChatCompletions)(model, settings),
};
