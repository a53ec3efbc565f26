import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Fetch } from "../lib/fetch.ts";
import type { ProviderOptions } from "../protocol/config.ts";
import type { ProviderInfo } from "../protocol/provider.ts";

/** What a provider is given to make a model of. */
export interface ProviderSettings {
  fetch: Fetch;
  /** The user's key, where there is one. */
  key: string | undefined;
  options: ProviderOptions;
}

/** One entry of the registry: all that the rest of the program knows about a provider. */
export interface ProviderDefinition extends Omit<ProviderInfo, "id"> {
  isConnected(settings: Omit<ProviderSettings, "fetch">): boolean;
  /**
   * Loads the provider's SDK on first use; the network is not touched.
   * @throws ProviderNotConnected, ModelNotFound (where the list of models is complete)
   */
  openModel(model: string, settings: ProviderSettings): Promise<LanguageModelV4>;
}
