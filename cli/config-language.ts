import { readNetworkSettings } from "../server/config/environment.ts";
import { createConfigLanguage } from "../server/config/language/language.ts";
import { CitewellError } from "../server/errors.ts";
import { createLocalProviders, type LocalAppOptions } from "../server/local-app.ts";
import type { ConfigLanguage } from "../server/protocol/config-language.ts";
import type { Handlers } from "../server/protocol/operations.ts";
import { listModels } from "../server/providers/list-models.ts";
import { listProviders } from "../server/providers/list-providers.ts";
import type { Providers } from "../server/providers/providers.ts";

/**
 * The editor features for the configuration files that `app` reads. While one of them is invalid no options apply, and
 * providers and models are still offered, as if no options were set.
 */
export function openConfigLanguage(app: Handlers, options: LocalAppOptions): ConfigLanguage {
  const { location, log } = options;
  async function ask<Result>(asked: Promise<Result>, otherwise: (providers: Providers) => Promise<Result>) {
    try {
      return await asked;
    } catch (error) {
      if (!(error instanceof CitewellError) || error.tag !== "ConfigInvalid") throw error;
      const network = await readNetworkSettings(location);
      return otherwise(
        createLocalProviders({ providerOptions: {}, globalProviderOptions: {} }, { ...options, network }),
      );
    }
  }
  return createConfigLanguage({
    app: {
      ...app,
      listProviders: (...given) => ask(app.listProviders(...given), listProviders),
      listModels: (request, { signal = never } = {}) =>
        ask(app.listModels(request, { signal }), (providers) => listModels(request, { providers, signal })),
    },
    location,
    log,
  });
}

const never = new AbortController().signal;
