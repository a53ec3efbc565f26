import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { ProviderSettings } from "./definition.ts";

/** Opens a model, or returns the one that was opened with the same settings. */
export type ShareModel = (
  ref: { provider: string; model: string },
  settings: ProviderSettings,
  open: () => Promise<LanguageModelV4>,
) => Promise<LanguageModelV4>;

/** Bounded, because each combination of settings and key opens another model. */
const usualLimit = 64;

/**
 * Shares open models between concurrent questions, because the SDK builds 80 KB of schemas for each. Models have no state of
 * a call. Models of a sign-in, which have a `fetch` of their own, and models without an API are not shared.
 */
export function createSharedModels({ limit = usualLimit }: { limit?: number } = {}): ShareModel {
  const opened = new Map<string, { fetch: ProviderSettings["fetch"]; model: LanguageModelV4 }>();
  return async ({ provider, model: name }, settings, open) => {
    const { account, baseURL, fetch } = settings;
    if (account.type === "signed-in" || baseURL === "") return open();
    const apiKey = account.type === "key" ? account.key : null;
    const key = JSON.stringify([provider, name, baseURL, settings.name, apiKey]);
    const before = opened.get(key);
    const model = before?.fetch === fetch ? before.model : await open();
    opened.delete(key);
    opened.set(key, { fetch, model });
    const [oldest] = opened.keys();
    if (opened.size > limit && oldest !== undefined) opened.delete(oldest);
    return model;
  };
}
