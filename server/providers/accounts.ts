import { CitewellError } from "../errors.ts";
import type { ProviderOptions } from "../protocol/config.ts";
import type { Credentials, StoredCredential } from "./credentials.ts";
import type { Account, ProviderDefinition } from "./definition.ts";
import type { OAuthClient } from "./oauth.ts";

/** What is configured for a provider; where there is a key or a sign-in only what the user says, not what a project does. */
export type ConfiguredOptions = (provider: string, settings: { hasKey: boolean }) => ProviderOptions;

export type ClientOf = (stored: StoredCredential) => OAuthClient | undefined;

export interface Access {
  account: Account;
  baseURL: string | undefined;
  name: string | undefined;
  /** What can renew a sign-in: the client that it was given to. */
  clientOf: ClientOf;
}

export interface AccessOptions {
  definition: ProviderDefinition;
  credentials: Credentials;
  options: ConfiguredOptions;
}

/**
 * Who asks a provider, and where: a key from the environment, else what is stored, else nobody. A stored credential goes
 * only to the server that it was connected with.
 * @throws ProviderNotConnected (the global configuration has another server by now), CredentialsInvalid
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
    // A name is only a label: it may stand in the project's file.
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
 * The OAuth client to sign in with: endpoints that ship, the global configuration over them, and the user's own client
 * where that names none. Undefined without a client.
 * @throws CredentialsInvalid
 */
export async function findClient(
  provider: string,
  { definition: { signIn }, credentials, options }: AccessOptions,
): Promise<OAuthClient | undefined> {
  if (signIn === undefined) return undefined;
  const configured = options(provider, { hasKey: true }).oauth ?? {};
  // Endpoints belong together: those of another server are not mixed with the ones that ship.
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
 * Only the client that was given a refresh token can use it. Of a sign-in that another program stored this is the one
 * that its token names, else the user's own; it is renewed nowhere else than at the provider itself.
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

export function withoutSlash(url: string | undefined): string | undefined {
  return url?.replace(/\/+$/, "");
}

/** Undefined where the entry is of no use here: another kind of account, or for a plan that only opencode may use. */
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
      ? `nobody has said which server the stored key of ${provider} is for`
      : `the stored key of ${provider} is for ${bound}, and not for ${wanted}`;
  return new CitewellError("ProviderNotConnected", message, { hint: `connect again: citewell connect -p ${provider}` });
}
