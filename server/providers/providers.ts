import type { LanguageModelV4 } from "@ai-sdk/provider";
import { CitewellError, messageOf } from "../errors.ts";
import type { Log } from "../lib/log.ts";
import { nearest } from "../lib/nearest.ts";
import type { ModelRef, ModelRetry } from "../protocol/ask.ts";
import type { ProviderOptions } from "../protocol/config.ts";
import type { ModelInfo, ProviderInfo } from "../protocol/provider.ts";
import { type Access, type ConfiguredOptions, findAccess } from "./accounts.ts";
import { catalogueModels, contextTokensOf, type Pricing, pricingOf } from "./catalogue.ts";
import {
  type ConnectMethod,
  type ConnectorOptions,
  createConnector,
  type Disconnected,
  type SignInOffer,
} from "./connect.ts";
import type { OwnClient } from "./credentials.ts";
import type { ProviderDefinition, ProviderSettings, ProviderEnvironment } from "./definition.ts";
import { definitions, findDefinition } from "./definitions.ts";
import { fetchModels, servesUnlisted } from "./live-models.ts";
import { findLocalServers, type LocalServer, usualServers } from "./local-servers.ts";
import { createSessions, type Sessions } from "./sessions.ts";
import type { ShareModel } from "./shared-models.ts";

/** Dependencies of `createProviders`. */
export interface ProvidersOptions extends ConnectorOptions {
  log: Log;
  /** Renews sign-ins; share one instance so that each sign-in is renewed once. Default: a new one. */
  sessions?: Sessions | undefined;
  /** Default: each question opens its own model. */
  shareModel?: ShareModel | undefined;
  /** Whether errors leave out the hosts of model servers. Default: false. */
  hidesHosts?: boolean | undefined;
  /** The local servers to look for; default: common ones at their default ports. */
  localServers?: typeof usualServers;
}

/** Options of a model check. */
export interface ModelQuery {
  /** Overrides the configuration, for a choice that is not saved yet. */
  options?: ProviderOptions | undefined;
  signal?: AbortSignal | undefined;
}

/** The result of a model check. `nearest`: similar names. */
export type ModelCheck =
  | { type: "served" }
  | { type: "not-served"; nearest: string[] }
  | { type: "unchecked"; reason: string };

/**
 * The providers as one user has them: which exist, which are connected, their models, and the model that answers a
 * question. It combines the definitions with credentials and configuration.
 *
 * It retries and renews sign-ins, but does not run the conversation with the model: `agent/` does. What is specific
 * to one provider is its `ProviderDefinition`.
 */
export interface Providers {
  /**
   * Opens a model. Its calls are retried and fail with a CitewellError (ProviderRefused, ProviderRateLimited,
   * ProviderFailed, ModelNotFound) that names provider and model, never the key. `log` overrides the default log for
   * retries.
   * @throws ProviderNotFound, ProviderNotConnected, ModelNotFound, CredentialsInvalid
   */
  languageModel(
    ref: ModelRef,
    options?: { log?: Log; onRetry?: (retry: ModelRetry) => void },
  ): Promise<LanguageModelV4>;
  /** All providers, with the models that are known without a request. */
  list(): Promise<ProviderInfo[]>;
  /** Whether the provider is connected, checked without a request. @throws ProviderNotFound */
  isConnected(provider: string): Promise<boolean>;
  /**
   * Stores a key, or signs in. The credential is bound to the server that it was created for.
   * @throws ProviderNotFound, InvalidRequest (the provider takes no key, or the key is malformed), ProviderNotConnected (no
   * OAuth client; the hint lists alternatives), ProviderRefused, ProviderTimeout, ProviderFailed
   */
  connect(provider: string, method: ConnectMethod): Promise<void>;
  /** Removes the stored credential. @throws ProviderNotFound */
  disconnect(provider: string): Promise<Disconnected>;
  /** The available sign-in, if any. @throws ProviderNotFound, CredentialsInvalid */
  signInOffer(provider: string): Promise<SignInOffer>;
  /**
   * Stores the user's OAuth client for this and later sign-ins; undefined removes it.
   * @throws ProviderNotFound, InvalidRequest (no sign-in, invalid id, or the global configuration names another client)
   */
  keepClient(provider: string, client: OwnClient | undefined): Promise<void>;
  /**
   * Lists models by id, from the bundled catalogue if it has the provider, else from the server.
   * @throws ProviderNotFound, ProviderNotConnected, ProviderFailed, ProviderRefused, ProviderTimeout
   */
  listModels(provider: string, query?: ModelQuery): Promise<Record<string, ModelInfo>>;
  /** Lists the models of an unconfigured compatible server, without a key. @throws ProviderFailed, ProviderRefused, ProviderTimeout */
  listModelsAt(baseURL: string, options: { signal: AbortSignal }): Promise<Record<string, ModelInfo>>;
  /** Checks a model with the provider; the bundled list never rejects one. @throws ProviderNotFound */
  checkModel(ref: ModelRef, query?: ModelQuery): Promise<ModelCheck>;
  /** Finds compatible servers that run on this computer: loopback only, within 500 ms. */
  discoverLocal(options: { signal: AbortSignal }): Promise<LocalServer[]>;
  /** The price of a model's calls. @throws ProviderNotFound, CredentialsInvalid */
  pricing(ref: ModelRef): Promise<Pricing>;
  /** A model's context in tokens, looked up without a request; undefined if unknown. @throws ProviderNotFound, CredentialsInvalid */
  contextTokens(ref: ModelRef): Promise<number | undefined>;
}

/** Creates the registry. Credentials are read on use, SDKs are loaded on use. */
export function createProviders(given: ProvidersOptions): Providers {
  const { fetch, credentials, options, editorModels, log, hidesHosts: hidesHost, localServers = usualServers } = given;
  const { sessions = createSessions({ credentials, fetch, log }) } = given;
  const { shareModel = (_ref, _settings, open) => open() } = given;

  function accessOf(provider: string, definition: ProviderDefinition, chosen: ProviderOptions = {}): Promise<Access> {
    // Never send a key to an address from a request: only the user's configuration may set it.
    const merged: ConfiguredOptions = (id, settings) =>
      settings.hasKey ? options(id, settings) : { ...options(id, settings), ...chosen };
    return findAccess(provider, { definition, credentials, options: merged });
  }

  /** @throws ProviderNotConnected */
  async function settingsOf(provider: string, { options: chosen }: ModelQuery = {}): Promise<ProviderSettings> {
    const definition = findDefinition(provider);
    const access = await accessOf(provider, definition, chosen);
    const missing = missingOf(provider, { definition, access, editorModels });
    if (missing !== undefined) throw missing;
    const { account, clientOf, baseURL = "", name = provider } = access;
    const signedIn = account.type === "signed-in" ? sessions.signedIn(provider, clientOf) : fetch;
    return { fetch: signedIn, account, baseURL, name, editorModels };
  }

  async function askModels(
    provider: string,
    { api, listModels }: ProviderDefinition,
    query: ModelQuery,
  ): Promise<Record<string, ModelInfo>> {
    const { signal } = query;
    const settings = await settingsOf(provider, query);
    if (listModels !== undefined) return listModels(settings, { signal });
    return api === undefined ? {} : fetchModels({ ...settings, api, signal });
  }

  const connector = createConnector(given);

  /** The available ways to connect; a sign-in without a client is not offered. */
  async function describe(id: string, definition: ProviderDefinition): Promise<ProviderInfo> {
    const { name, auth, envVars: [envVar] = [] } = definition;
    const offer = definition.signIn === undefined ? undefined : await offerNow(id);
    const isPossible = offer?.type === "browser" || offer?.type === "device" || offer?.type === "opencode";
    return {
      id,
      name,
      auth: auth.filter((method) => method !== "oauth" || isPossible),
      ...(envVar === undefined ? {} : { envVar }),
      ...(offer?.type === "opencode" || offer?.type === "own-client" ? { takesClient: true } : {}),
      models: await knownModels(definition),
    };
  }

  /** Returns no sign-in if the store is unreadable, so that listing providers does not fail. */
  async function offerNow(id: string): Promise<SignInOffer> {
    try {
      return await connector.signInOffer(id);
    } catch (error) {
      if (!(error instanceof CitewellError)) throw error;
      log.warn("sign-in-not-offered", { provider: id, reason: error.message });
      return { type: "none" };
    }
  }

  const providers: Providers = {
    ...connector,
    async languageModel({ provider, model }, { log: ownLog = log, onRetry } = {}) {
      const settings = await settingsOf(provider);
      const opened = await shareModel({ provider, model }, settings, () =>
        findDefinition(provider).openModel(model, settings),
      );
      const { withReliableCalls } = await import("./reliable.ts");
      const key = settings.account.type === "key" ? settings.account.key : undefined;
      return withReliableCalls(opened, { ref: { provider, model }, key, hidesHost, log: ownLog, onRetry });
    },
    list: () => Promise.all(Object.entries(definitions).map(([id, definition]) => describe(id, definition))),
    async isConnected(provider) {
      const definition = findDefinition(provider);
      try {
        const access = await accessOf(provider, definition);
        return missingOf(provider, { definition, access, editorModels }) === undefined;
      } catch (error) {
        // A request to the provider reports the reason.
        if (!(error instanceof CitewellError)) throw error;
        log.warn("provider-not-connected", { provider, reason: error.message });
        return false;
      }
    },
    async listModels(provider, query = {}) {
      const definition = findDefinition(provider);
      const known = await knownModels(definition);
      return Object.keys(known).length > 0 ? known : askModels(provider, definition, query);
    },
    async listModelsAt(baseURL, { signal }) {
      const server = {
        account: { type: "none" },
        baseURL: baseURL.replace(/\/+$/, ""),
        api: { wire: "openai" },
      } as const;
      return fetchModels({ ...server, fetch, signal });
    },
    async checkModel({ provider, model }, query = {}) {
      const definition = findDefinition(provider);
      const { api, models } = definition;
      if (models !== undefined) return compare(model, models);
      try {
        const check = compare(api?.listedAs?.(model) ?? model, await askModels(provider, definition, query));
        if (check.type !== "not-served" || api === undefined) return check;
        const asked = { ...(await settingsOf(provider, query)), api, signal: query.signal };
        return (await servesUnlisted(model, asked)) ? { type: "served" } : check;
      } catch (error) {
        query.signal?.throwIfAborted();
        return { type: "unchecked", reason: messageOf(error) };
      }
    },
    discoverLocal: ({ signal }) => findLocalServers(localServers, { fetch, signal }),
    async pricing({ provider, model }) {
      const definition = findDefinition(provider);
      const { account, baseURL = "" } = await accessOf(provider, definition);
      if (account.type === "signed-in" && definition.signIn?.isSubscription === true) return { type: "free" };
      return pricingOf({ provider, model }, definition.pricedAs?.(model, { baseURL }));
    },
    async contextTokens({ provider, model }) {
      const definition = findDefinition(provider);
      const { baseURL = "" } = await accessOf(provider, definition);
      const known = definition.models?.[model]?.contextTokens;
      return known ?? contextTokensOf(definition.pricedAs?.(model, { baseURL }));
    },
  };
  return providers;
}

/** The models known without a request; none for custom servers and gateways that the catalogue lacks. */
export async function knownModels({
  models,
  pricedAs,
  baseURL,
}: ProviderDefinition): Promise<Record<string, ModelInfo>> {
  if (models !== undefined) return { ...models };
  const priced = baseURL === undefined ? undefined : pricedAs?.("", { baseURL });
  if (priced?.type !== "listed" || !("providerId" in priced.place)) return {};
  return catalogueModels(priced.place.providerId);
}

function compare(model: string, listed: Readonly<Record<string, ModelInfo>>): ModelCheck {
  if (Object.hasOwn(listed, model)) return { type: "served" };
  const ids = Object.keys(listed);
  if (ids.length === 0) return { type: "unchecked", reason: "the list of its models is empty" };
  return { type: "not-served", nearest: nearest(model, ids) };
}

/** Why a provider is not connected; undefined if it is. */
function missingOf(
  provider: string,
  { definition, access, editorModels }: { definition: ProviderDefinition; access: Access } & ProviderEnvironment,
): CitewellError | undefined {
  const { unavailable, auth, envVars: [variable] = [], baseURL, models, listModels } = definition;
  const fault = unavailable?.({ editorModels });
  if (fault !== undefined || models !== undefined || listModels !== undefined) return fault;
  const field = access.baseURL === undefined ? "baseURL" : "name";
  if (access.baseURL === undefined || (baseURL === undefined && access.name === undefined)) {
    return new CitewellError("ProviderNotConnected", `the provider ${provider} has no ${field}`, {
      hint: `set baseURL and name under providerOptions["${provider}"] in citewell.config.jsonc`,
    });
  }
  if (access.account.type !== "none" || auth.includes("none")) return undefined;
  const connect = `citewell connect -p ${provider}`;
  const what = auth.includes("api") ? "has no key" : "has no sign-in";
  return new CitewellError("ProviderNotConnected", `the provider ${provider} ${what}`, {
    hint: variable === undefined ? `run: ${connect}` : `run: ${connect}, or set ${variable}`,
  });
}
