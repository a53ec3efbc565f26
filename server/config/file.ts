import { readFile, stat } from "node:fs/promises";
import { CitewellError, codeOf, messageOf } from "../errors.ts";
import { replaceFile } from "../lib/replace-file.ts";
import { lockForWriting, writing } from "../locked-file.ts";
import { configInvalid, parseConfig, type ParsedConfig } from "./parse.ts";

/** A configuration file as it is on disk. A missing file is an empty object. */
export interface ConfigDocument extends ParsedConfig {
  path: string;
  exists: boolean;
  /** The text without the byte order mark. */
  text: string;
  byteOrderMark: "\uFEFF" | "";
}

/** The limit in bytes: far more than any configuration written by hand. */
const sizeLimitBytes = 1024 * 1024;

/** Milliseconds: longer than a killed writer blocks others (`lib/lock.ts`). */
const lockWaitMs = 8_000;

/** @throws ConfigInvalid (unreadable, not JSONC, or a value that breaks a rule) */
export async function readConfigFile(file: string): Promise<ConfigDocument> {
  const bytes = await readBytes(file);
  if (bytes === undefined) return absentFile(file);
  const decoded = decode(bytes, file);
  const byteOrderMark = decoded.startsWith("\uFEFF") ? "\uFEFF" : "";
  const text = decoded.slice(byteOrderMark.length);
  return { path: file, exists: true, text, byteOrderMark, ...parseConfig(text, file) };
}

/** The document of a missing file. */
export function absentFile(file: string): ConfigDocument {
  return {
    path: file,
    exists: false,
    text: "{}\n",
    byteOrderMark: "",
    value: {},
    positions: [],
    ignored: [],
    ignoredKeys: [],
    warnings: [],
  };
}

/**
 * Changes a configuration file under a lock that other processes respect. `edit` gets the file as it is once the lock
 * is held, and returns the new text. The file is replaced atomically; it and its folder are created if missing.
 * @throws ConfigInvalid, LockTimeout, StorageFailed, and whatever `edit` throws: then the file stays as it is
 */
export async function editConfigFile(file: string, edit: (document: ConfigDocument) => string): Promise<void> {
  await using _lock = await lockForWriting(file, { waitMs: lockWaitMs });
  const document = await readConfigFile(file);
  const text = edit(document);
  const { ignoredKeys, warnings } = parseConfig(text, file);
  if (ignoredKeys.some((key) => !document.ignoredKeys.includes(key))) throw configInvalid(warnings[0] ?? file);
  await writing(file, () => replaceFile(file, document.byteOrderMark + text));
}

/** Undefined if there is no such file. */
async function readBytes(file: string): Promise<Buffer | undefined> {
  try {
    // Checked first: opening a pipe would block until something writes to it.
    const found = await stat(file);
    if (!found.isFile()) throw configInvalid(`${file}: a file was expected here`);
    if (found.size > sizeLimitBytes) {
      throw configInvalid(`${file}: the file has ${found.size} bytes, over the limit of ${sizeLimitBytes}`);
    }
    return await readFile(file);
  } catch (cause) {
    if (codeOf(cause) === "ENOENT" || codeOf(cause) === "ENOTDIR") return undefined;
    if (cause instanceof CitewellError) throw cause;
    throw configInvalid(`${file}: the file cannot be read: ${messageOf(cause)}`, cause);
  }
}

/** Keeps the byte order mark. */
function decode(bytes: Buffer, file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw configInvalid(`${file}: the file is not UTF-8 text`, cause);
  }
}
