import { CitewellError } from "../errors.ts";
import type { Fetch } from "../lib/fetch.ts";
import { type AccessOptions, type ConfiguredOptions, findClient, withoutSlash } from "./accounts.ts";
import type { Credentials, OwnClient } from "./credentials.ts";
import type { EditorModels } from "../protocol/editor-model.ts";
import type { ProviderDefinition } from "./definition.ts";
import { findDefinition } from "./definitions.ts";
import type { Interaction, OAuthClient } from "./oauth.ts";
import { toSignIn } from "./sessions.ts";
import { watchSignIn } from "./watch-sign-in.ts";

/** How to connect a provider: with a key or an OAuth sign-in. */
export type ConnectMethod =
  /** `baseURL`: the server of the key; default: the global configuration, else the provider's own. */
  | { method: "api"; key: string; baseURL?: string | undefined }
  | { method: "oauth"; interaction: Interaction; signal: AbortSignal };

/** The result of `disconnect`. */
export interface Disconnected {
  /** False if nothing was stored. */
  removed: boolean;
  /** The environment variable that still connects the provider. */
  variable: string | undefined;
}

/**
 * The available sign-in. Citewell has no OAuth client at any provider: `opencode` uses the sign-in stored by `command`,
 * `own-client` first needs the user's own client (`keepClient`).
 */
export type SignInOffer =
  | { type: "browser" | "device" }
  | { type: "opencode"; command: readonly string[] }
  | { type: "own-client" }
  | { type: "none" };

/** Dependencies of a connector. */
export interface ConnectorOptions {
  fetch: Fetch;
  credentials: Credentials;
  options: ConfiguredOptions;
  editorModels?: EditorModels | undefined;
  /** Finds an installed program. Default: finds none. */
  findProgram?: (name: string) => Promise<string | undefined>;
  /** Time limit for the user to sign in; default 5 minutes. */
  signInTimeoutMs?: number;
}

/** Stores and removes credentials and OAuth clients; `Providers` documents each method. */
export interface Connector {
  connect(provider: string, method: ConnectMethod): Promise<void>;
  disconnect(provider: string): Promise<Disconnected>;
  signInOffer(provider: string): Promise<SignInOffer>;
  keepClient(provider: string, client: OwnClient | undefined): Promise<void>;
}

const opencodeCommand = ["opencode", "auth", "login"] as const;
const usualTimeoutMs = 300_000;

/** Creates a connector over a credential store. */
export function createConnector(given: ConnectorOptions): Connector {
  const { fetch, credentials, options, editorModels, signInTimeoutMs: timeoutMs = usualTimeoutMs } = given;
  const { findProgram = async () => undefined } = given;
  const accessOptions = (definition: ProviderDefinition): AccessOptions => ({ definition, credentials, options });

  async function storeKey(provider: string, text: string, given: string | undefined): Promise<void> {
    const definition = findDefinition(provider);
    if (!definition.auth.includes("api")) throw takesNoKey(provider);
    const key = text.trim();
    // A header allows visible ASCII only. The message must not quote the key.
    if (!/^[\x21-\x7e]+$/.test(key)) throw noKey(provider);
    const configured = options(provider, { hasKey: true }).baseURL;
    const baseURL = withoutSlash(given ?? configured ?? definition.baseURL);
    if (baseURL === undefined) throw noServer(provider);
    await credentials.set(provider, { type: "api", key }, { baseURL });
  }

  async function signIn(provider: string, interaction: Interaction, signal: AbortSignal): Promise<void> {
    const definition = findDefinition(provider);
    if (definition.signIn === undefined) throw hasNoSignIn(provider);
    const client = await findClient(provider, accessOptions(definition));
    if (client === undefined) {
      const offer = await offerOf(provider, definition);
      if (offer.type !== "opencode" || interaction.offerCommand === undefined) throw noClient(provider, definition);
      const untilSignedIn = await watchSignIn(provider, { credentials, timeoutMs, signal });
      await interaction.offerCommand(opencodeCommand);
      return untilSignedIn();
    }
    const { signInWithBrowser, signInWithDevice } = await import("./oauth.ts");
    const flow = client.flow === "device" ? signInWithDevice : signInWithBrowser;
    const tokens = await flow(client, { interaction, fetch, timeoutMs, signal });
    const entry = toSignIn(tokens, definition.signIn.accountIdIn?.(tokens.claims));
    const configured = withoutSlash(options(provider, { hasKey: true }).baseURL);
    const baseURL = configured ?? definition.signIn.baseURL(entry);
    await credentials.set(provider, entry, { baseURL, clientId: client.clientId });
  }

  async function offerOf(provider: string, definition: ProviderDefinition): Promise<SignInOffer> {
    if (definition.signIn === undefined) return { type: "none" };
    const client = await findClient(provider, accessOptions(definition));
    if (client !== undefined) return { type: flowOf(client) };
    const isThere = definition.signIn.acceptsOpencode && (await findProgram("opencode")) !== undefined;
    return isThere ? { type: "opencode", command: opencodeCommand } : { type: "own-client" };
  }

  return {
    async connect(provider, how) {
      const fault = findDefinition(provider).unavailable?.({ editorModels });
      if (fault !== undefined) throw fault;
      if (how.method === "api") await storeKey(provider, how.key, how.baseURL);
      else await signIn(provider, how.interaction, how.signal);
    },
    async disconnect(provider) {
      const { envVars = [] } = findDefinition(provider);
      const removed = await credentials.remove(provider);
      return { removed, variable: envVars.find((name) => credentials.environmentKey([name]) !== undefined) };
    },
    signInOffer: async (provider) => offerOf(provider, findDefinition(provider)),
    async keepClient(provider, client) {
      if (findDefinition(provider).signIn === undefined) throw hasNoSignIn(provider);
      if (client !== undefined && !/^[\x21-\x7e]{1,256}$/.test(client.clientId)) throw noClientId(provider);
      const configured = options(provider, { hasKey: true }).oauth?.clientId;
      if (client !== undefined && configured !== undefined && configured !== client.clientId)
        throw otherClient(provider, configured);
      await credentials.setClient(provider, client);
    },
  };
}

function flowOf({ flow = "browser" }: OAuthClient): "browser" | "device" {
  return flow;
}

function takesNoKey(provider: string): CitewellError {
  return new CitewellError("InvalidRequest", `the provider ${provider} takes no key`, {
    hint: `sign in instead: citewell connect -p ${provider}`,
  });
}

function noKey(provider: string): CitewellError {
  return new CitewellError(
    "InvalidRequest",
    `invalid key for ${provider}: it is empty, or contains spaces or special characters`,
    {
      hint: "copy the whole key again",
    },
  );
}

function noServer(provider: string): CitewellError {
  return new CitewellError("InvalidRequest", `no server is configured for the key of ${provider}`, {
    hint: "give its baseURL",
  });
}

function hasNoSignIn(provider: string): CitewellError {
  return new CitewellError("InvalidRequest", `the provider ${provider} has no sign-in`, {
    hint: `give a key: citewell connect -p ${provider}`,
  });
}

function noClientId(provider: string): CitewellError {
  return new CitewellError(
    "InvalidRequest",
    `invalid client id for ${provider}: it is empty, too long or contains spaces`,
    {
      hint: "copy it again from the page where the OAuth client is registered",
    },
  );
}

function otherClient(provider: string, configured: string): CitewellError {
  return new CitewellError(
    "InvalidRequest",
    `the global configuration names another client for ${provider}: ${configured}`,
    {
      hint: `remove providerOptions.${provider}.oauth.clientId from the global citewell.config.jsonc first`,
    },
  );
}

/** The hint never suggests another program's client id: that would deceive the provider and the user. */
function noClient(provider: string, { auth, signIn }: ProviderDefinition): CitewellError {
  const ways = [
    ...(signIn?.acceptsOpencode === true ? [`sign in with opencode: ${opencodeCommand.join(" ")}`] : []),
    ...(auth.includes("api") ? ["give a key"] : []),
    `give an OAuth client of your own: citewell connect -p ${provider} --client-id <id>`,
  ];
  return new CitewellError("ProviderNotConnected", `Citewell has no OAuth client of its own at ${provider}`, {
    hint: ways.join("; or "),
  });
}
