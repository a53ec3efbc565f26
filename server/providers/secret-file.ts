import { readFile, stat } from "node:fs/promises";
import { applyEdits, modify } from "jsonc-parser";
import * as z from "zod";
import { CitewellError, codeOf, messageOf } from "../errors.ts";
import { parseJson } from "../lib/parse-json.ts";
import { replaceFile } from "../lib/replace-file.ts";
import { lockForWriting, writing } from "../locked-file.ts";

/** The entries of a secret file, unvalidated. */
export type Entries = ReadonlyMap<string, unknown>;
/** An undefined value removes the key. */
export interface EntryEdit {
  key: string;
  value: unknown;
}

/**
 * Reads a JSON file with secrets; a missing or empty file has no entries.
 * @throws CredentialsInvalid (unreadable, or not a JSON object); the message never quotes the file
 */
export async function readSecretFile(file: string): Promise<Entries> {
  return parseEntries(await readText(file), file);
}

/**
 * Changes one entry under a cross-process lock and preserves the bytes of all others. The file is replaced atomically
 * with mode 0600. Without an edit nothing is written.
 * @throws CredentialsInvalid, LockTimeout, StorageFailed, and errors of `edit`
 */
export async function editSecretFile(
  file: string,
  edit: (entries: Entries) => Promise<EntryEdit | undefined>,
  { signal }: { signal?: AbortSignal | undefined } = {},
): Promise<void> {
  await using _lock = await lockForWriting(file, { waitMs: lockWaitMs, signal });
  const text = await readText(file);
  const change = await edit(parseEntries(text, file));
  if (change === undefined) return;
  const edits = modify(text.trim() === "" ? "{}" : text, [change.key], change.value, {
    formattingOptions: { insertSpaces: true, tabSize: 2 },
  });
  const changed = applyEdits(text.trim() === "" ? "{}" : text, edits);
  await writing(file, () => replaceFile(file, changed, { mode: 0o600 }));
}

/** Longer than the renewal of a sign-in, which holds the lock. */
const lockWaitMs = 30_000;
/** Far above the size of any credential store. */
const sizeLimitBytes = 1024 * 1024;

async function readText(file: string): Promise<string> {
  try {
    // Check first: opening a named pipe would block until it has a writer.
    const found = await stat(file);
    if (!found.isFile()) throw invalid(file, "it is not a file");
    if (found.size > sizeLimitBytes) throw invalid(file, `it has ${found.size} bytes`);
    return (await readFile(file, "utf8")).replace(/^\uFEFF/, "");
  } catch (cause) {
    if (codeOf(cause) === "ENOENT" || codeOf(cause) === "ENOTDIR") return "";
    if (cause instanceof CitewellError) throw cause;
    throw invalid(file, messageOf(cause), cause);
  }
}

const Content = z.record(z.string(), z.unknown());

function parseEntries(text: string, file: string): Entries {
  if (text.trim() === "") return new Map();
  const { success, data } = Content.safeParse(parseJson(text));
  if (!success) throw invalid(file, "it is not a JSON object");
  return new Map(Object.entries(data));
}

function invalid(file: string, why: string, cause?: unknown): CitewellError {
  return new CitewellError("CredentialsInvalid", `the keys in ${file} cannot be read: ${why}`, {
    hint: "correct the file, or move it away and connect again; it was left as it is",
    cause,
  });
}
