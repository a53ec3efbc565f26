import { CitewellError } from "../errors.ts";
import type { ProviderOptions } from "../protocol/config.ts";
import type { Credentials, StoredCredential } from "./credentials.ts";
import type { Account, ProviderDefinition } from "./definition.ts";
import type { OAuthClient } from "./oauth.ts";

/** What is configured for a provider; where there is a key or a sign-in only what the user says, not what a project does. */
export type ConfiguredOptions = (provider: string, settings: { hasKey: boolean }) => ProviderOptions;

export interface Access {
  account: Account;
  baseURL: string | undefined;
  name: string | undefined;
  /** What can renew the sign-in. */
  client: OAuthClient | undefined;
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
  const base = {
    baseURL: withoutSlash(configured.baseURL ?? definition.baseURL),
    // A name is only a label: it may stand in the project's file.
    name: configured.name ?? options(provider, { hasKey: false }).name,
    client: findClient(provider, given),
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

/** The OAuth client to sign in with: what ships, and the global configuration over it. Undefined where none is registered. */
export function findClient(
  provider: string,
  { definition: { signIn }, credentials, options }: AccessOptions,
): OAuthClient | undefined {
  if (signIn === undefined) return undefined;
  const configured = options(provider, { hasKey: true }).oauth ?? {};
  // Endpoints belong together: those of another server are not mixed with the ones that ship.
  const isElsewhere = configured.issuer !== undefined || configured.tokenEndpoint !== undefined;
  const shipped = isElsewhere ? { scopes: signIn.oauth.scopes } : signIn.oauth;
  const { clientId, ...client } = { flow: signIn.flow, ...shipped, ...configured };
  if (clientId === undefined) return undefined;
  const variable = client.clientSecretVariable;
  const clientSecret = variable === undefined ? undefined : credentials.environmentKey([variable]);
  return { ...client, provider, clientId, clientSecret, parameters: isElsewhere ? undefined : signIn.parameters };
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
