import type { ProviderDefinition } from "./definition.ts";
import { openChatCompletions } from "./chat-completions/open.ts";
import { openGenerateContent, openMessages, openResponses } from "./wires.ts";

/** opencode's gateway; each model uses its vendor's format. https://opencode.ai/docs/zen/#endpoints */
export const opencode: ProviderDefinition = {
  name: "opencode Zen",
  auth: ["api"],
  envVars: ["OPENCODE_API_KEY"],
  baseURL: "https://opencode.ai/zen/v1",
  api: { wire: "openai" },
  async openModel(model, settings) {
    if (model.startsWith("claude-")) return openMessages(model, settings);
    if (model.startsWith("gpt-")) return openResponses(model, settings);
    if (model.startsWith("gemini-")) return openGenerateContent(model, settings);
    return openChatCompletions(model, settings);
  },
};
