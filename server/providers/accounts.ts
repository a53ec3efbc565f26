import { CitewellError } from "../errors.ts";
import type { ProviderOptions } from "../protocol/config.ts";
import type { Credentials, StoredCredential } from "./credentials.ts";
import type { Account, ProviderDefinition } from "./definition.ts";
import type { OAuthClient } from "./oauth.ts";

/** Returns the options of a provider. With `hasKey`, only the user's configuration applies, not the project's. */
export type ConfiguredOptions = (provider: string, settings: { hasKey: boolean }) => ProviderOptions;

/** Returns the OAuth client that can renew a stored sign-in, if one is known. */
export type ClientOf = (stored: StoredCredential) => OAuthClient | undefined;

/** The account, server and label for requests to a provider. */
export interface Access {
  account: Account;
  baseURL: string | undefined;
  name: string | undefined;
  /** The client that can renew a sign-in. */
  clientOf: ClientOf;
}

/** Dependencies of `findAccess` and `findClient`. */
export interface AccessOptions {
  definition: ProviderDefinition;
  credentials: Credentials;
  options: ConfiguredOptions;
}

/**
 * Resolves the account and server of a provider: a key from the environment, else the stored credential, else none. A
 * stored credential is sent only to the server that it was connected with.
 * @throws ProviderNotConnected (the global configuration names another server), CredentialsInvalid
 */
export async function findAccess(provider: string, given: AccessOptions): Promise<Access> {
  const { definition, credentials, options } = given;
  const key = credentials.environmentKey(definition.envVars ?? []);
  const mayBeStored = key === undefined && (definition.auth.includes("api") || definition.signIn !== undefined);
  const stored = mayBeStored ? usable(await credentials.get(provider), definition) : undefined;
  const hasKey = key !== undefined || stored !== undefined;
  const configured = options(provider, { hasKey });
  const client = await findClient(provider, given);
  const base = {
    baseURL: withoutSlash(configured.baseURL ?? definition.baseURL),
    // A name is only a label: the project's file may set it.
    name: configured.name ?? options(provider, { hasKey: false }).name,
    clientOf: (entry: StoredCredential) => renewingClient(provider, entry, { client, definition }),
  };
  if (key !== undefined) return { ...base, account: { type: "key", key } };
  if (stored === undefined) return { ...base, account: { type: "none" } };
  const baseURL = boundTo(stored, definition);
  const wanted = withoutSlash(configured.baseURL);
  if (baseURL === undefined || (wanted !== undefined && wanted !== baseURL))
    throw otherServer(provider, wanted, baseURL);
  const { credential } = stored;
  const account: Account =
    credential.type === "api" ? { type: "key", key: credential.key.trim() } : { type: "signed-in", signIn: credential };
  return { ...base, baseURL, account };
}

/**
 * The OAuth client for a sign-in: built-in endpoints, overridden by the global configuration, and the user's own client
 * id if the configuration has none. Undefined without a client id.
 * @throws CredentialsInvalid
 */
export async function findClient(
  provider: string,
  { definition: { signIn }, credentials, options }: AccessOptions,
): Promise<OAuthClient | undefined> {
  if (signIn === undefined) return undefined;
  const configured = options(provider, { hasKey: true }).oauth ?? {};
  // Do not mix configured endpoints of another server with the built-in ones.
  const isElsewhere = configured.issuer !== undefined || configured.tokenEndpoint !== undefined;
  const shipped = isElsewhere ? { scopes: signIn.oauth.scopes } : signIn.oauth;
  const client = { flow: signIn.flow, ...shipped, ...configured };
  const own = client.clientId === undefined ? await credentials.client(provider) : undefined;
  const clientId = client.clientId ?? own?.clientId;
  if (clientId === undefined) return undefined;
  const variable = client.clientSecretVariable;
  const clientSecret = variable === undefined ? own?.clientSecret : credentials.environmentKey([variable]);
  return { ...client, provider, clientId, clientSecret, parameters: isElsewhere ? undefined : signIn.parameters };
}

/**
 * Only the client that received a refresh token can use it. For a sign-in stored by another program, that is the client
 * named in its token, else the user's own client, and only at the provider's own token endpoint.
 */
function renewingClient(
  provider: string,
  { credential, connection }: StoredCredential,
  { client, definition: { signIn } }: { client: OAuthClient | undefined; definition: ProviderDefinition },
): OAuthClient | undefined {
  if (credential.type !== "oauth" || signIn === undefined) return undefined;
  if (connection !== undefined) return connection.clientId === client?.clientId ? client : undefined;
  const named = signIn.clientIdIn?.(credential.access);
  if (named !== undefined) return { ...signIn.oauth, provider, clientId: named };
  return client?.tokenEndpoint === signIn.oauth.tokenEndpoint ? client : undefined;
}

/** Removes trailing slashes. */
export function withoutSlash(url: string | undefined): string | undefined {
  return url?.replace(/\/+$/, "");
}

/** Undefined for an unsupported kind of account, or a sign-in that only opencode may use. */
function usable(
  stored: StoredCredential | undefined,
  { auth, signIn }: ProviderDefinition,
): StoredCredential | undefined {
  if (stored === undefined) return undefined;
  if (stored.credential.type === "api") return auth.includes("api") ? stored : undefined;
  return stored.connection !== undefined || signIn?.acceptsOpencode === true ? stored : undefined;
}

function boundTo(
  { credential, connection }: StoredCredential,
  { baseURL, signIn }: ProviderDefinition,
): string | undefined {
  if (connection !== undefined) return connection.baseURL;
  return credential.type === "api" ? baseURL : signIn?.baseURL(credential);
}

function otherServer(provider: string, wanted: string | undefined, bound: string | undefined): CitewellError {
  const message =
    bound === undefined
      ? `the stored key of ${provider} has no recorded server`
      : `the stored key of ${provider} is for ${bound}, not for ${wanted}`;
  return new CitewellError("ProviderNotConnected", message, { hint: `connect again: citewell connect -p ${provider}` });
}
