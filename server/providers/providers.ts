import type { LanguageModelV4 } from "@ai-sdk/provider";
import { CitewellError, messageOf } from "../errors.ts";
import type { Log } from "../lib/log.ts";
import { nearest } from "../lib/nearest.ts";
import type { ModelRef, ModelRetry } from "../protocol/ask.ts";
import type { ProviderOptions } from "../protocol/config.ts";
import type { ModelInfo, ProviderInfo } from "../protocol/provider.ts";
import { type Access, type ConfiguredOptions, findAccess } from "./accounts.ts";
import { catalogueModels, type Pricing, pricingOf } from "./catalogue.ts";
import {
  type ConnectMethod,
  type ConnectorOptions,
  createConnector,
  type Disconnected,
  type SignInOffer,
} from "./connect.ts";
import type { OwnClient } from "./credentials.ts";
import type { ProviderDefinition, ProviderSettings, Surroundings } from "./definition.ts";
import { definitions, findDefinition } from "./definitions.ts";
import { fetchModels, servesUnlisted } from "./live-models.ts";
import { findLocalServers, type LocalServer, usualServers } from "./local-servers.ts";
import { createSessions, type Sessions } from "./sessions.ts";

export interface ProvidersOptions extends ConnectorOptions {
  log: Log;
  /** Renews sign-ins; share it, so that each is renewed once. Default: its own. */
  sessions?: Sessions | undefined;
  /** Servers that are looked for on this computer; the usual ones unless given. */
  localServers?: typeof usualServers;
}

export interface ModelQuery {
  /** In place of what is configured: for a choice that is not saved yet. */
  options?: ProviderOptions | undefined;
  signal?: AbortSignal | undefined;
}

/** What a provider says of a model when it is asked. `nearest`: the names that may have been meant. */
export type ModelCheck =
  | { type: "served" }
  | { type: "not-served"; nearest: string[] }
  | { type: "unchecked"; reason: string };

export interface Providers {
  /**
   * A model that is ready to be asked; its calls are retried while that may help, and fail with a CitewellError
   * (ProviderRefused, ProviderRateLimited, ProviderFailed, ModelNotFound) that names provider and model, never the key.
   * Retries go to `log`, where one is given in place of the usual one.
   * @throws ProviderNotFound, ProviderNotConnected, ModelNotFound, CredentialsInvalid
   */
  languageModel(
    ref: ModelRef,
    options?: { log?: Log; onRetry?: (retry: ModelRetry) => void },
  ): Promise<LanguageModelV4>;
  /** Every provider with the models that are known without asking it. */
  list(): Promise<ProviderInfo[]>;
  /** Whether it can be asked now, as far as is known without asking. @throws ProviderNotFound */
  isConnected(provider: string): Promise<boolean>;
  /**
   * Stores a key, or signs in. The credential is from then on only for the server that it was given for.
   * @throws ProviderNotFound, InvalidRequest (it takes no key, or the key cannot be one), ProviderNotConnected (there is
   * no OAuth client: the hint says how to sign in otherwise), ProviderRefused, ProviderTimeout, ProviderFailed
   */
  connect(provider: string, method: ConnectMethod): Promise<void>;
  /** Removes what is stored. @throws ProviderNotFound */
  disconnect(provider: string): Promise<Disconnected>;
  /** How a person can sign in, where that is possible at all. @throws ProviderNotFound, CredentialsInvalid */
  signInOffer(provider: string): Promise<SignInOffer>;
  /**
   * Keeps the OAuth client that the user has registered at a provider, for this and later sign-ins; undefined forgets it.
   * @throws ProviderNotFound, InvalidRequest (no sign-in, no such id, or the global configuration names another one)
   */
  keepClient(provider: string, client: OwnClient | undefined): Promise<void>;
  /**
   * What can be chosen, by id: from the bundled catalogue where it has the provider, else asked of the server.
   * @throws ProviderNotFound, ProviderNotConnected, ProviderFailed, ProviderRefused, ProviderTimeout
   */
  listModels(provider: string, query?: ModelQuery): Promise<Record<string, ModelInfo>>;
  /** What a compatible server serves that nobody has chosen yet: it gets no key. @throws ProviderFailed, ProviderRefused, ProviderTimeout */
  listModelsAt(baseURL: string, options: { signal: AbortSignal }): Promise<Record<string, ModelInfo>>;
  /** Asks the provider itself; a bundled list is no reason to refuse. @throws ProviderNotFound */
  checkModel(ref: ModelRef, query?: ModelQuery): Promise<ModelCheck>;
  /** Compatible servers that run on this computer now: loopback only, within half a second. */
  discoverLocal(options: { signal: AbortSignal }): Promise<LocalServer[]>;
  /** What calls of a model cost. @throws ProviderNotFound, CredentialsInvalid */
  pricing(ref: ModelRef): Promise<Pricing>;
}

export function createProviders(given: ProvidersOptions): Providers {
  const { fetch, credentials, options, editorModels, log, localServers = usualServers } = given;
  const { sessions = createSessions({ credentials, fetch, log }) } = given;

  function accessOf(provider: string, definition: ProviderDefinition, chosen: ProviderOptions = {}): Promise<Access> {
    // A key never goes where a request says: the configuration is the user's.
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

  /** What can be done now: a sign-in that lacks a client is not offered. */
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

  /** A store that cannot be read offers no sign-in; the list is not to fail of it. */
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
      const opened = await findDefinition(provider).openModel(model, settings);
      const { withReliableCalls } = await import("./reliable.ts");
      const key = settings.account.type === "key" ? settings.account.key : undefined;
      return withReliableCalls(opened, { ref: { provider, model }, key, log: ownLog, onRetry });
    },
    list: () => Promise.all(Object.entries(definitions).map(([id, definition]) => describe(id, definition))),
    async isConnected(provider) {
      const definition = findDefinition(provider);
      try {
        const access = await accessOf(provider, definition);
        return missingOf(provider, { definition, access, editorModels }) === undefined;
      } catch (error) {
        // Whoever asks the provider is told why.
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
  };
  return providers;
}

/** What is known without asking. Gateways that the catalogue does not have, and servers of one's own, are asked. */
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

/** What keeps a provider from being asked. */
function missingOf(
  provider: string,
  { definition, access, editorModels }: { definition: ProviderDefinition; access: Access } & Surroundings,
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
