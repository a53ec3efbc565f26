import { existsSync } from "node:fs";
import { lstat, mkdir, readFile, rm, stat } from "node:fs/promises";
import path from "node:path";
import { CitewellError, codeOf, messageOf } from "../../server/errors.ts";
import { replaceFile } from "../../server/lib/replace-file.ts";
import type { ClientPlaces, McpClient, McpScope } from "./clients.ts";

/** An edit of one client's settings, shown before it is made. */
export interface Change {
  client: McpClient;
  scope: McpScope;
  file: string;
  before: string;
  after: string;
  edit(text: string): string;
}

/** The client's settings of a scope: the file that exists, else the one to create. Undefined where it has none. */
export function settingsFile(client: McpClient, scope: McpScope, places: ClientPlaces): string | undefined {
  const candidates = client.files[scope]?.(places) ?? [];
  return candidates.find((candidate) => existsSync(candidate)) ?? candidates[0];
}

/** @throws ConfigInvalid: the file cannot be read or edited */
export async function planChange({ edit, ...change }: Omit<Change, "before" | "after">): Promise<Change> {
  const before = await readSettings(change.file);
  const marked = keepingMark(edit);
  return { ...change, before, after: marked(before), edit: marked };
}

/** The text of a file; empty where there is none. @throws ConfigInvalid */
export async function readSettings(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return "";
    throw new CitewellError("ConfigInvalid", `${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

/** Edits the file as it is now: its own program may have written to it while the change was shown. */
export async function saveChange({ client, file, edit }: Change): Promise<void> {
  const after = edit(await readSettings(file));
  const present = await stat(file).catch(() => undefined);
  // Another file would take its place, whatever its mode.
  if (present !== undefined && (present.mode & 0o222) === 0) {
    throw new CitewellError("StorageFailed", `${file} is read-only`, { hint: "make it writable, or edit it by hand" });
  }
  try {
    const isLink = present !== undefined && (await lstat(file)).isSymbolicLink();
    if (after === "" && !isLink) {
      await rm(file, { force: true });
      return;
    }
    await mkdir(path.dirname(file), { recursive: true });
    // What a link leads to stays, with nothing in it.
    await replaceFile(file, after === "" && client.format === "json" ? "{}\n" : after);
  } catch (error) {
    throw new CitewellError("StorageFailed", `${file} cannot be written: ${messageOf(error)}`, { cause: error });
  }
}

/** The mark of UTF-8 that some editors of Windows put first is no part of the text. */
function keepingMark(edit: (text: string) => string): (text: string) => string {
  return (marked) => {
    const mark = marked.startsWith("\uFEFF") ? "\uFEFF" : "";
    const edited = edit(marked.slice(mark.length));
    return edited === "" ? "" : mark + edited;
  };
}
