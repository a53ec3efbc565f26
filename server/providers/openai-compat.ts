import { isLoopback } from "../lib/loopback.ts";
import type { ProviderDefinition } from "./definition.ts";
import { openChatCompletions } from "./chat-completions/open.ts";

/** Any server with the OpenAI chat-completions API: Ollama, LM Studio, llama.cpp, vLLM, a company's gateway. */
export const openaiCompat: ProviderDefinition = {
  name: "OpenAI-compatible server",
  auth: ["api", "none"],
  envVars: ["OPENAI_COMPAT_API_KEY"],
  api: { wire: "openai" },
  pricedAs: (model, { baseURL }) =>
    isLoopback(baseURL) ? { type: "free" } : { type: "listed", place: { providerApiUrl: baseURL }, model },
  openModel: openChatCompletions,
};
