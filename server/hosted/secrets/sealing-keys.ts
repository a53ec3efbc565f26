import { createHmac, randomBytes } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { CitewellError, codeOf } from "../../errors.ts";
import { replaceFile } from "../../lib/replace-file.ts";

/** The environment variable with the keys: base64, separated by commas. The first seals, all open. */
export const keysVariable = "CITEWELL_SECRETS_KEY";
const fileName = "secrets.key";

/** A key of 32 bytes, and its name in the rows that it sealed. */
export interface SealingKey {
  version: string;
  key: Uint8Array;
}

/** The keys of a service, which are kept outside its database. */
export interface SealingKeys {
  /** The first one seals, all open; none if there are none yet. @throws SecretsKeyInvalid */
  read(): Promise<readonly SealingKey[]>;
  /** The key to seal with, made on first use if the keys are in a file of ours. @throws SecretsKeyInvalid */
  current(): Promise<SealingKey>;
  /** Replaces the keys; undefined if the operator sets them. */
  renewal: Renewal | undefined;
  /** Where the keys are, for messages. */
  place: string;
}

/** Two steps, between which all keys open. */
export interface Renewal {
  /** Puts a new key before the others, and returns their versions. */
  begin(): Promise<string[]>;
  /** Forgets keys. @param versions those that `begin` returned */
  end(versions: readonly string[]): Promise<void>;
}

/** The places where a service finds its keys. */
export interface SealingKeyOptions {
  /** The value of the variable. */
  text: string | undefined;
  /** The service's data directory, for the file that is used without the variable. */
  directory: string;
  /** Whether to create the file: other nodes on the same database would not have it. */
  mayCreate: boolean;
}

/** The keys from the variable, else from `secrets.key` in the data directory. */
export function openSealingKeys({ text, directory, mayCreate }: SealingKeyOptions): SealingKeys {
  if (text !== undefined && text.trim() !== "") return keysFromText(text);
  const file = path.join(directory, fileName);
  const place = `${fileName} in the data directory`;
  const write = (keys: readonly SealingKey[]) =>
    replaceFile(file, keys.map(({ key }) => `${Buffer.from(key).toString("base64")}\n`).join(""), { mode: 0o600 });
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <Value>(work: () => Promise<Value>): Promise<Value> => {
    const next = last.then(work, work);
    last = next;
    return next;
  };
  const read = async () => {
    const lines = await readPrivate(file);
    return lines === undefined ? [] : parseKeys(lines.split(/\s+/), place);
  };
  return {
    place,
    read,
    current: () =>
      inTurn(async () => {
        const [first] = await read();
        if (first !== undefined) return first;
        if (!mayCreate) throw missing();
        const created = newKey();
        await write([created]);
        return created;
      }),
    renewal: {
      begin: () =>
        inTurn(async () => {
          const old = await read();
          if (old.length === 0 && !mayCreate) throw missing();
          await write([newKey(), ...old]);
          return old.map(({ version }) => version);
        }),
      end: (versions) => inTurn(async () => write((await read()).filter(({ version }) => !versions.includes(version)))),
    },
  };
}

function keysFromText(text: string): SealingKeys {
  const read = async () => parseKeys(text.split(","), keysVariable);
  return {
    place: keysVariable,
    read,
    async current() {
      const [first] = await read();
      return first ?? toKey("", keysVariable);
    },
    renewal: undefined,
  };
}

/** The content of the file; undefined if it is missing. @throws SecretsKeyInvalid (others can read it) */
async function readPrivate(file: string): Promise<string | undefined> {
  try {
    const { mode } = await stat(file);
    if (process.platform !== "win32" && (mode & 0o077) !== 0) {
      throw new CitewellError("SecretsKeyInvalid", `other users of the computer can read ${fileName}`, {
        hint: `chmod 600 ${fileName} in the data directory`,
      });
    }
    return await readFile(file, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function parseKeys(texts: readonly string[], place: string): SealingKey[] {
  return texts.flatMap((text) => (text.trim() === "" ? [] : [toKey(text.trim(), place)]));
}

/** Messages never repeat a key. */
function toKey(text: string, place: string): SealingKey {
  const key = Buffer.from(text, "base64");
  if (key.length === 32 && /^[\w+/-]{43}=?$/.test(text)) return { key, version: versionOf(key) };
  throw new CitewellError("SecretsKeyInvalid", `${place} does not contain 32 bytes in base64`, {
    hint: "create a key with: openssl rand -base64 32",
  });
}

function newKey(): SealingKey {
  const key = randomBytes(32);
  return { key, version: versionOf(key) };
}

/** Names a key without giving anything of it away. */
function versionOf(key: Uint8Array): string {
  return createHmac("sha256", key).update("citewell secrets key").digest("hex").slice(0, 8);
}

function missing(): CitewellError {
  return new CitewellError("SecretsKeyInvalid", `secrets cannot be stored: ${keysVariable} is not set`, {
    hint: "set it to the output of openssl rand -base64 32, the same on every node",
  });
}
