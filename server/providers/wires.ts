import type { LanguageModelV4, LanguageModelV4Middleware } from "@ai-sdk/provider";
import type { ProviderSettings } from "./definition.ts";
import { breakpoints, withBreakpoints, withCacheKey } from "./prompt-cache.ts";

export type Wire = (
  model: string,
  settings: ProviderSettings & { headers?: Record<string, string> },
) => Promise<LanguageModelV4>;

/** OpenAI's Responses API. */
export const openResponses: Wire = async (model, { baseURL, fetch, account, headers = {} }) => {
  const { createOpenAI } = await import("@ai-sdk/openai");
  const responses = createOpenAI({ baseURL, fetch, headers, apiKey: keyOf(account) }).responses(model);
  return withCalls(responses, async ({ params }) => withCacheKey(params));
};

/** Anthropic's Messages API. */
export const openMessages: Wire = async (model, { baseURL, fetch, account, headers = {} }) => {
  const { createAnthropic } = await import("@ai-sdk/anthropic");
  const messages = createAnthropic({ baseURL, fetch, headers, apiKey: keyOf(account) }).languageModel(model);
  return withCalls(messages, async ({ params }) => ({
    ...withBreakpoints(params, breakpoints.anthropic),
    maxOutputTokens: params.maxOutputTokens ?? outputTokenLimit,
  }));
};

/** The SDK allows 4096 for a model that it does not know, which reasoning alone can use up; for others it knows the limit. */
const outputTokenLimit = 32_000;

/** Google's generateContent API. */
export const openGenerateContent: Wire = async (model, { baseURL, fetch, account, headers = {} }) => {
  const { createGoogle } = await import("@ai-sdk/google");
  return createGoogle({ baseURL, fetch, headers, apiKey: keyOf(account) }).languageModel(model);
};

/** Wraps a model to transform the parameters of each call. */
export async function withCalls(
  model: LanguageModelV4,
  transformParams: LanguageModelV4Middleware["transformParams"] & {},
): Promise<LanguageModelV4> {
  const { wrapLanguageModel } = await import("ai");
  return wrapLanguageModel({ model, middleware: { specificationVersion: "v4", transformParams } });
}

/** The SDKs require a key. For a sign-in, `sessions.ts` replaces this placeholder in each call. */
function keyOf(account: ProviderSettings["account"]): string {
  return account.type === "key" ? account.key : "signed-in";
}
