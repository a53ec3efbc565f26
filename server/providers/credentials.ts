import { createHash } from "node:crypto";
import * as z from "zod";
import type { Log } from "../lib/log.ts";
import { editSecretFile, type Entries, readSecretFile } from "./secret-file.ts";

/** An entry of opencode's `auth.json` that we can use. Fields that we do not know stay in it. */
export const Credential = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("api"), key: z.string().min(1) }),
  z.looseObject({
    type: z.literal("oauth"),
    access: z.string(),
    refresh: z.string(),
    expires: z.number().describe("Milliseconds since the epoch; 0 is never."),
    accountId: z.string().optional(),
    enterpriseUrl: z.string().optional(),
  }),
]);
export type Credential = z.infer<typeof Credential>;
export type SignIn = Extract<Credential, { type: "oauth" }>;

/** How we came by a credential; kept beside `auth.json`, where opencode would drop it. */
export const Connection = z.looseObject({
  baseURL: z.string().describe("The only server that the credential is for."),
  clientId: z.string().optional().describe("The OAuth client that can renew the sign-in."),
});
export type Connection = z.infer<typeof Connection>;

/** An OAuth client that the user has registered at a provider. */
export const OwnClient = z.looseObject({ clientId: z.string().min(1), clientSecret: z.string().min(1).optional() });
export type OwnClient = z.infer<typeof OwnClient>;

export interface StoredCredential {
  credential: Credential;
  /** Undefined of what another program stored. */
  connection: Connection | undefined;
}

/** Keys and sign-ins by provider, in opencode's `auth.json`. Whoever is signed in there is signed in here. */
export interface Credentials {
  /** The first of these environment variables that holds a key. */
  environmentKey(variables: readonly string[]): string | undefined;
  /** @throws CredentialsInvalid */
  get(provider: string): Promise<StoredCredential | undefined>;
  /** @throws CredentialsInvalid, LockTimeout, StorageFailed */
  set(provider: string, credential: Credential, connection: Connection): Promise<void>;
  /**
   * Replaces an entry by what `renew` makes of it, while no other process of ours can do so. The connection stays. Its
   * result, or undefined where there is no entry; without a change nothing is written.
   * @throws CredentialsInvalid, LockTimeout, StorageFailed, and what `renew` throws
   */
  update(
    provider: string,
    renew: (stored: StoredCredential) => Promise<Credential>,
    options: { signal: AbortSignal | undefined },
  ): Promise<Credential | undefined>;
  /** False where there was nothing. @throws CredentialsInvalid, LockTimeout, StorageFailed */
  remove(provider: string): Promise<boolean>;
  /** The user's OAuth client at a provider. It stays when the sign-in goes. @throws CredentialsInvalid */
  client(provider: string): Promise<OwnClient | undefined>;
  /** Undefined forgets it. @throws CredentialsInvalid, LockTimeout, StorageFailed */
  setClient(provider: string, client: OwnClient | undefined): Promise<void>;
  /** The ids of all entries, those of providers that we do not know too. @throws CredentialsInvalid */
  list(): Promise<string[]>;
}

export interface CredentialsOptions {
  /** `auth.json`, absolute (`config/paths.ts`). */
  file: string;
  /** What we know beyond it, absolute. */
  connectionsFile: string;
  env: Readonly<Record<string, string | undefined>>;
  log: Log;
}

/** Nothing is read or written before it is asked for. */
export function createCredentials({ file, connectionsFile, env, log }: CredentialsOptions): Credentials {
  const read = async (provider: string): Promise<StoredCredential | undefined> => {
    const entry = (await readSecretFile(file)).get(provider);
    if (entry === undefined) return undefined;
    const { success, data: credential } = Credential.safeParse(entry);
    if (!success) {
      log.warn("credential-not-usable", { provider, file });
      return undefined;
    }
    const recorded = Recorded.safeParse((await readSecretFile(connectionsFile)).get(provider)).data;
    const isOurs = recorded?.fingerprint === fingerprintOf(credential);
    return { credential, connection: isOurs ? recorded.connection : undefined };
  };
  const write = async (provider: string, credential: Credential, connection: Connection | undefined) => {
    // First: a record of a credential that is not there is no harm, a credential without its record is a stranger's.
    const record = connection && { fingerprint: fingerprintOf(credential), connection };
    await editSecretFile(connectionsFile, async () => ({ key: provider, value: record }));
    return { key: provider, value: credential };
  };
  return {
    environmentKey: (variables) => variables.map((name) => env[name]?.trim()).find((key) => key),
    get: read,
    async set(provider, credential, connection) {
      await editSecretFile(file, () => write(provider, credential, connection));
    },
    async update(provider, renew, { signal }) {
      let renewed: Credential | undefined;
      const edit = async () => {
        const stored = await read(provider);
        if (stored === undefined) return undefined;
        renewed = await renew(stored);
        return renewed === stored.credential ? undefined : write(provider, renewed, stored.connection);
      };
      await editSecretFile(file, edit, { signal });
      return renewed;
    },
    async remove(provider) {
      if (!(await readSecretFile(file)).has(provider)) return false;
      await editSecretFile(file, async () => ({ key: provider, value: undefined }));
      await editSecretFile(connectionsFile, async () => ({ key: provider, value: undefined }));
      return true;
    },
    client: async (provider) => readClients(await readSecretFile(connectionsFile))[provider],
    async setClient(provider, client) {
      await editSecretFile(connectionsFile, async (entries) => {
        const { [provider]: _old, ...others } = readClients(entries);
        const clients = client === undefined ? others : { ...others, [provider]: client };
        return { key: clientsKey, value: Object.keys(clients).length === 0 ? undefined : clients };
      });
    },
    list: async () => [...(await readSecretFile(file)).keys()],
  };
}

/** No provider has this name. */
const clientsKey = "oauth-clients";

function readClients(entries: Entries): Record<string, OwnClient> {
  return z.record(z.string(), OwnClient).safeParse(entries.get(clientsKey)).data ?? {};
}

/** Binds a record to the very credential: one that another program put in its place is not taken for ours. */
const Recorded = z.object({ fingerprint: z.string(), connection: Connection });

function fingerprintOf(credential: Credential): string {
  const secret = credential.type === "api" ? credential.key : credential.refresh;
  return createHash("sha256").update(secret).digest("hex");
}
