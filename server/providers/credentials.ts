import { createHash } from "node:crypto";
import * as z from "zod";
import type { Log } from "../lib/log.ts";
import { editSecretFile, type Entries, readSecretFile } from "./secret-file.ts";

/** A supported entry of opencode's `auth.json`. Unknown fields are preserved. */
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
/** A supported entry of opencode's `auth.json`. */
export type Credential = z.infer<typeof Credential>;
/** OAuth tokens; `expires` is in milliseconds since the epoch, 0 is never. */
export type SignIn = Extract<Credential, { type: "oauth" }>;

/** The origin of a credential; stored in a separate file, because opencode would drop it from `auth.json`. */
export const Connection = z.looseObject({
  baseURL: z.string().describe("The only server that the credential is for."),
  clientId: z.string().optional().describe("The OAuth client that can renew the sign-in."),
});
/** The server that a credential is for, and the client that can renew it. */
export type Connection = z.infer<typeof Connection>;

/** An OAuth client that the user registered with a provider. */
export const OwnClient = z.looseObject({ clientId: z.string().min(1), clientSecret: z.string().min(1).optional() });
/** An OAuth client that the user registered with a provider. */
export type OwnClient = z.infer<typeof OwnClient>;

/** A credential and its origin. */
export interface StoredCredential {
  credential: Credential;
  /** Undefined if another program stored the credential. */
  connection: Connection | undefined;
}

/** Keys and sign-ins by provider, shared with opencode through its `auth.json`. */
export interface Credentials {
  /** The value of the first of these environment variables that is set, trimmed. */
  environmentKey(variables: readonly string[]): string | undefined;
  /** @throws CredentialsInvalid */
  get(provider: string): Promise<StoredCredential | undefined>;
  /** @throws CredentialsInvalid, LockTimeout, StorageFailed */
  set(provider: string, credential: Credential, connection: Connection): Promise<void>;
  /**
   * Replaces an entry with the result of `renew`, under a lock, and keeps its connection. Returns that result, or undefined
   * without an entry. An unchanged entry is not written.
   * @throws CredentialsInvalid, LockTimeout, StorageFailed, and errors of `renew`
   */
  update(
    provider: string,
    renew: (stored: StoredCredential) => Promise<Credential>,
    options: { signal: AbortSignal | undefined },
  ): Promise<Credential | undefined>;
  /** Returns false if there was no entry. @throws CredentialsInvalid, LockTimeout, StorageFailed */
  remove(provider: string): Promise<boolean>;
  /** The user's OAuth client at a provider, kept when the sign-in is removed. @throws CredentialsInvalid */
  client(provider: string): Promise<OwnClient | undefined>;
  /** Stores the client; undefined removes it. @throws CredentialsInvalid, LockTimeout, StorageFailed */
  setClient(provider: string, client: OwnClient | undefined): Promise<void>;
  /** The ids of all entries, including unknown providers. @throws CredentialsInvalid */
  list(): Promise<string[]>;
}

/** Files and environment of a credential store. */
export interface CredentialsOptions {
  /** `auth.json`, absolute (`config/paths.ts`). */
  file: string;
  /** The file of connections and OAuth clients, absolute. */
  connectionsFile: string;
  env: Readonly<Record<string, string | undefined>>;
  log: Log;
}

/** Creates a credential store. Files are read on each call, without a cache. */
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
    // Write the record first: one without a credential is harmless, but a credential without one counts as foreign.
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

/** A key that no provider id can have. */
const clientsKey = "oauth-clients";

function readClients(entries: Entries): Record<string, OwnClient> {
  return z.record(z.string(), OwnClient).safeParse(entries.get(clientsKey)).data ?? {};
}

/** Ties a record to one credential, so that a replacement by another program is not mistaken for ours. */
const Recorded = z.object({ fingerprint: z.string(), connection: Connection });

function fingerprintOf(credential: Credential): string {
  const secret = credential.type === "api" ? credential.key : credential.refresh;
  return createHash("sha256").update(secret).digest("hex");
}
