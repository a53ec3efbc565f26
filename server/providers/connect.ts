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

export type ConnectMethod =
  /** `baseURL`: where the key belongs, in place of what the global configuration or the provider says. */
  | { method: "api"; key: string; baseURL?: string | undefined }
  | { method: "oauth"; interaction: Interaction; signal: AbortSignal };

export interface Disconnected {
  /** False where nothing was stored. */
  removed: boolean;
  /** The environment variable that keeps it connected all the same. */
  variable: string | undefined;
}

/**
 * How a person can sign in now. Citewell has no OAuth client of its own at any provider: `opencode` uses the sign-in that
 * `command` leaves, and `own-client` needs a client of the user's first (`keepClient`).
 */
export type SignInOffer =
  | { type: "browser" | "device" }
  | { type: "opencode"; command: readonly string[] }
  | { type: "own-client" }
  | { type: "none" };

export interface ConnectorOptions {
  fetch: Fetch;
  credentials: Credentials;
  options: ConfiguredOptions;
  editorModels?: EditorModels | undefined;
  /** The file of another program, if that is installed. Without it none is. */
  findProgram?: (name: string) => Promise<string | undefined>;
  /** How long a person may take to sign in; five minutes unless given. */
  signInTimeoutMs?: number;
}

export interface Connector {
  connect(provider: string, method: ConnectMethod): Promise<void>;
  disconnect(provider: string): Promise<Disconnected>;
  signInOffer(provider: string): Promise<SignInOffer>;
  keepClient(provider: string, client: OwnClient | undefined): Promise<void>;
}

const opencodeCommand = ["opencode", "auth", "login"] as const;
const usualTimeoutMs = 300_000;

export function createConnector(given: ConnectorOptions): Connector {
  const { fetch, credentials, options, editorModels, signInTimeoutMs: timeoutMs = usualTimeoutMs } = given;
  const { findProgram = async () => undefined } = given;
  const accessOptions = (definition: ProviderDefinition): AccessOptions => ({ definition, credentials, options });

  async function storeKey(provider: string, text: string, given: string | undefined): Promise<void> {
    const definition = findDefinition(provider);
    if (!definition.auth.includes("api")) throw takesNoKey(provider);
    const key = text.trim();
    // What a header can carry; the message must not quote the rest.
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
    `that is no key for ${provider}: it is empty, or has spaces or signs in it`,
    {
      hint: "copy it again, in one piece",
    },
  );
}

function noServer(provider: string): CitewellError {
  return new CitewellError("InvalidRequest", `no server is known that the key of ${provider} is for`, {
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
    `that is no client id for ${provider}: it is empty, too long or has spaces`,
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

/** Using the client id of another program would be a lie to the provider and to the user. */
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
