import { CitewellError } from "../errors.ts";
import type { ProviderDefinition } from "./definition.ts";

/** Any server that speaks the OpenAI chat-completions format: Ollama, LM Studio, llama.cpp, vLLM, a company's gateway. */
export const openaiCompat: ProviderDefinition = {
  name: "OpenAI-compatible server",
  auth: ["api", "none"],
  envVar: "OPENAI_COMPAT_API_KEY",
  models: {},
  isConnected: ({ options }) => options.baseURL !== undefined && options.name !== undefined,
  async openModel(model, { fetch, key, options: { baseURL, name } }) {
    if (baseURL === undefined || name === undefined) throw notConfigured(baseURL === undefined ? "baseURL" : "name");
    const [{ createOpenAICompatible }, { extractReasoningMiddleware, wrapLanguageModel }] = await Promise.all([
      import("@ai-sdk/openai-compatible"),
      import("ai"),
    ]);
    const apiKey = key === undefined ? {} : { apiKey: key };
    const provider = createOpenAICompatible({ name, baseURL, fetch, includeUsage: true, ...apiKey });
    // Local servers leave the thoughts of reasoning models in the text, between <think> and </think>.
    const middleware = extractReasoningMiddleware({ tagName: "think" });
    return wrapLanguageModel({ model: provider.chatModel(model), middleware });
  },
};

function notConfigured(missing: "baseURL" | "name"): CitewellError {
  return new CitewellError("ProviderNotConnected", `the provider openai-compat has no ${missing}`, {
    hint: 'set baseURL and name under providerOptions["openai-compat"] in citewell.config.jsonc',
  });
}
