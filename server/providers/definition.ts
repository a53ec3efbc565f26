import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { CitewellError } from "../errors.ts";
import type { Fetch } from "../lib/fetch.ts";
import type { OAuthOptions } from "../protocol/config.ts";
import type { EditorModels } from "../protocol/editor-model.ts";
import type { AuthMethod, ModelInfo } from "../protocol/provider.ts";
import type { SignIn } from "./credentials.ts";
import type { ModelApi } from "./live-models.ts";

/** Who asks, as far as a provider's SDK has to know: of a sign-in, `fetch` adds the token to each call. */
export type Account = { type: "none" } | { type: "key"; key: string } | { type: "signed-in"; signIn: SignIn };

/** What is lent to us by whoever started us. */
export interface Surroundings {
  /** The models of the editor that we run in. */
  editorModels: EditorModels | undefined;
}

interface ListOptions {
  signal: AbortSignal | undefined;
}

/** What a provider is given to make a model of. */
export interface ProviderSettings extends Surroundings {
  fetch: Fetch;
  account: Account;
  /** Where the API is, without a slash at the end; empty where there is none. */
  baseURL: string;
  /** The configured name, for servers that are nobody in particular. */
  name: string;
}

/** One entry of the registry: all that the rest of the program knows about a provider. */
export interface ProviderDefinition {
  /** For people. */
  name: string;
  auth: readonly AuthMethod[];
  /** The environment variables that may hold the key, the usual one first. */
  envVars?: readonly string[];
  /** Where the API is unless configured otherwise; undefined where somebody has to say so, or there is none. */
  baseURL?: string;
  signIn?: SignInDefinition;
  /** All there is, where that never changes. */
  models?: Readonly<Record<string, ModelInfo>>;
  /** How the provider is asked what it serves; undefined where it cannot be. */
  api?: ModelApi;
  /** Where the price catalogue has a model; undefined where it has none of the provider's. */
  pricedAs?: (model: string, settings: { baseURL: string }) => PricedAs | undefined;
  /** What it serves now, where that is asked in a way of its own. @throws as `Providers.listModels` does */
  listModels?: (settings: ProviderSettings, options: ListOptions) => Promise<Record<string, ModelInfo>>;
  /** Why nobody can be connected to it here (ProviderNotConnected); undefined where they can. */
  unavailable?: (here: Surroundings) => CitewellError | undefined;
  /** Loads the provider's SDK on first use; the network is not touched. @throws ModelNotFound (of a list that is complete) */
  openModel(model: string, settings: ProviderSettings): Promise<LanguageModelV4>;
}

/** A provider of the catalogue, by its id there or by its address, and the model's id there. */
export type PricedAs =
  | { type: "listed"; place: { providerId: string } | { providerApiUrl: string }; model: string }
  | { type: "free" };

/** How one signs in to a provider in the browser or with a code. */
export interface SignInDefinition {
  flow: "browser" | "device";
  /** As they ship: endpoints and scopes. A client id only where one is registered for Citewell. */
  oauth: OAuthOptions;
  /** More parameters that the provider wants in the authorization request. */
  parameters?: Readonly<Record<string, string>>;
  /** The entry that opencode's own sign-in leaves in `auth.json` serves as well. */
  acceptsOpencode: boolean;
  /** A plan pays for the calls of who is signed in: they have no price of their own. */
  isSubscription: boolean;
  /** Where calls of who is signed in go, unless configured otherwise. */
  baseURL(signIn: SignIn): string;
  /** The client that an access token was given to, where the token itself names it. */
  clientIdIn?: (accessToken: string) => string | undefined;
  /** The account's id in the claims of an ID token. */
  accountIdIn?: (claims: Readonly<Record<string, unknown>>) => string | undefined;
}
