import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { CitewellError } from "../errors.ts";
import type { Fetch } from "../lib/fetch.ts";
import type { OAuthOptions } from "../protocol/config.ts";
import type { EditorModels } from "../protocol/editor-model.ts";
import type { AuthMethod, ModelInfo } from "../protocol/provider.ts";
import type { SignIn } from "./credentials.ts";
import type { ModelApi } from "./live-models.ts";

/** The account that an SDK uses. For a sign-in, `fetch` adds the token to each call. */
export type Account = { type: "none" } | { type: "key"; key: string } | { type: "signed-in"; signIn: SignIn };

/** Services of the host process. */
export interface ProviderEnvironment {
  /** The editor's models; undefined outside an editor. */
  editorModels: EditorModels | undefined;
}

interface ListOptions {
  signal: AbortSignal | undefined;
}

/** The settings that a provider creates a model from. */
export interface ProviderSettings extends ProviderEnvironment {
  fetch: Fetch;
  account: Account;
  /** The API's URL without a trailing slash; empty if the provider has no API. */
  baseURL: string;
  /** The configured name of an `openai-compat` server. */
  name: string;
}

/**
 * One provider, with everything that is specific to it: how to connect, where its API is, how it lists models, and
 * how to open one. `definitions.ts` lists them.
 *
 * It has no retries, timeouts or token renewal, which come with the `fetch` it gets, and it never stores a key. The
 * guide is docs/development/adding-a-provider.md.
 */
export interface ProviderDefinition {
  /** The display name. */
  name: string;
  auth: readonly AuthMethod[];
  /** The environment variables for the key, in order of precedence. */
  envVars?: readonly string[];
  /** The default API URL; undefined if it must be configured or there is no API. */
  baseURL?: string;
  signIn?: SignInDefinition;
  /** The complete list of models, if it is fixed. */
  models?: Readonly<Record<string, ModelInfo>>;
  /** The API that lists models; undefined if there is none. */
  api?: ModelApi;
  /** The price catalogue's entry for a model; undefined if the catalogue lacks the provider. */
  pricedAs?: (model: string, settings: { baseURL: string }) => PricedAs | undefined;
  /** Lists models in a provider-specific way. @throws as `Providers.listModels` does */
  listModels?: (settings: ProviderSettings, options: ListOptions) => Promise<Record<string, ModelInfo>>;
  /** Why the provider is unavailable here (ProviderNotConnected); undefined if it is available. */
  unavailable?: (here: ProviderEnvironment) => CitewellError | undefined;
  /** Loads the provider's SDK on first use, without network access. @throws ModelNotFound (if `models` is complete) */
  openModel(model: string, settings: ProviderSettings): Promise<LanguageModelV4>;
}

/** A catalogue entry: its provider by id or API URL, and the model's id in the catalogue. */
export type PricedAs =
  | { type: "listed"; place: { providerId: string } | { providerApiUrl: string }; model: string }
  | { type: "free" };

/** A provider's OAuth sign-in, in the browser or with a device code. */
export interface SignInDefinition {
  flow: "browser" | "device";
  /** Built-in endpoints and scopes. A client id only if one is registered for Citewell. */
  oauth: OAuthOptions;
  /** Additional parameters of the authorization request. */
  parameters?: Readonly<Record<string, string>>;
  /** Whether a sign-in stored by opencode can be used. */
  acceptsOpencode: boolean;
  /** Whether a subscription covers the calls of a sign-in, so that they have no price. */
  isSubscription: boolean;
  /** The default API URL for a sign-in. */
  baseURL(signIn: SignIn): string;
  /** The client id in an access token, if the token contains it. */
  clientIdIn?: (accessToken: string) => string | undefined;
  /** The account id in the claims of an ID token. */
  accountIdIn?: (claims: Readonly<Record<string, unknown>>) => string | undefined;
}
