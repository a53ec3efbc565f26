import type { LanguageModelV4 } from "@ai-sdk/provider";
import { CitewellError } from "../errors.ts";
import type { Fetch } from "../lib/fetch.ts";
import type { Log } from "../lib/log.ts";
import { nearest } from "../lib/nearest.ts";
import type { ModelRef } from "../protocol/ask.ts";
import type { ProviderOptions } from "../protocol/config.ts";
import type { ProviderInfo } from "../protocol/provider.ts";
import type { ProviderDefinition } from "./definition.ts";
import { openaiCompat } from "./openai-compat.ts";

export interface ProvidersOptions {
  fetch: Fetch;
  /** The user's key for a provider, wherever it is kept. */
  credentials: (provider: string, where: { envVar: string | undefined }) => Promise<string | undefined>;
  /** What is configured for a provider; that there is a key matters, for it goes to trusted addresses only. */
  options: (provider: string, settings: { hasKey: boolean }) => ProviderOptions;
  log: Log;
}

export interface Providers {
  /**
   * A model that is ready to be asked; its calls are retried while that may help, and fail with a CitewellError
   * (ProviderRefused, ProviderRateLimited, ProviderFailed, ModelNotFound) that names provider and model, never the key.
   * @throws ProviderNotFound, ProviderNotConnected, ModelNotFound
   */
  languageModel(ref: ModelRef): Promise<LanguageModelV4>;
  list(): ProviderInfo[];
  /** @throws ProviderNotFound */
  isConnected(provider: string): Promise<boolean>;
}

export function createProviders({ fetch, credentials, options, log }: ProvidersOptions): Providers {
  const settingsOf = async (provider: string, { envVar }: ProviderDefinition) => {
    // A line end that came along with a key must not make it an invalid header, whose error would quote it.
    const key = (await credentials(provider, { envVar }))?.trim() || undefined;
    return { key, options: options(provider, { hasKey: key !== undefined }) };
  };
  return {
    async languageModel({ provider, model }) {
      const definition = findDefinition(provider);
      const settings = await settingsOf(provider, definition);
      const opened = await definition.openModel(model, { fetch, ...settings });
      const { withReliableCalls } = await import("./reliable.ts");
      return withReliableCalls(opened, { ref: { provider, model }, key: settings.key, log });
    },
    list: () =>
      Object.entries(definitions).map(([id, { name, auth, envVar, models }]) => ({ id, name, auth, envVar, models })),
    async isConnected(provider) {
      const definition = findDefinition(provider);
      return definition.isConnected(await settingsOf(provider, definition));
    },
  };
}

const builtin: ProviderDefinition = {
  name: "Built-in (extracts)",
  auth: ["none"],
  models: { extractive: { name: "Extracts, no key and no network" } },
  isConnected: () => true,
  async openModel(model) {
    if (model !== "extractive") {
      throw new CitewellError("ModelNotFound", `the provider builtin has no model ${JSON.stringify(model)}`, {
        hint: "its only model is extractive",
      });
    }
    const { createExtractiveModel } = await import("./builtin/extractive.ts");
    return createExtractiveModel();
  },
};

/** Every provider by its id, in the order of lists. A new one is one entry. */
const definitions: Readonly<Record<string, ProviderDefinition>> = { builtin, "openai-compat": openaiCompat };

function findDefinition(provider: string): ProviderDefinition {
  const definition = Object.hasOwn(definitions, provider) ? definitions[provider] : undefined;
  if (definition !== undefined) return definition;
  const known = Object.keys(definitions);
  const close = nearest(provider, known);
  throw new CitewellError("ProviderNotFound", `no provider ${JSON.stringify(provider)}`, {
    hint: close.length > 0 ? `did you mean ${close.join(" or ")}?` : `known providers: ${known.join(", ")}`,
  });
}
