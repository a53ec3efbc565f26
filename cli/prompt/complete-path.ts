import type { Dirent, Stats } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { toAbsolutePath } from "../../server/lib/absolute-path.ts";
import type { Terminal } from "../terminal.ts";
import type { Completion } from "./completion.ts";
import { type Choice, matchChoices } from "./picker.ts";
import { quoteWord } from "../input/words.ts";

/** More is not read through; further letters narrow the list. */
const entryLimit = 100;

/** Completes the last part of a path. Without `hasFiles` only folders are listed; hidden ones only after a dot. */
export async function completePath(
  text: string,
  {
    cwd,
    homeDirectory,
    platform,
    hasFiles = false,
  }: Pick<Terminal, "cwd" | "homeDirectory" | "platform"> & { hasFiles?: boolean },
): Promise<Completion[]> {
  // `~` alone is the home folder, not the beginning of a name.
  const written = text === "~" || /(?:^|[/\\])\.\.$/.test(text) ? `${text}/` : text;
  const { folder, name, separator } = splitPath(written, platform);
  const absolute = toAbsolutePath(folder === "" ? "." : folder, { folder: cwd, homeDirectory });
  const entries = await readdir(absolute, { withFileTypes: true }).catch(() => []);
  const isOffered = (entry: Dirent) =>
    (hasFiles || entry.isDirectory() || entry.isSymbolicLink()) &&
    (name.startsWith(".") || !entry.name.startsWith("."));
  const choices = entries
    .filter(isOffered)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((entry) => ({ label: entry.name, entry }));
  const found = await Promise.all(
    matchNames(choices, name)
      .slice(0, entryLimit)
      .map(async ({ label, entry }): Promise<Completion | undefined> => {
        const target = entry.isSymbolicLink() ? await targetOf(path.join(absolute, label)) : entry;
        if (target?.isDirectory() === true)
          return { label: `${label}${separator}`, detail: "folder", word: quoteWord(`${folder}${label}${separator}`) };
        const isListed = hasFiles && target?.isFile() === true;
        return isListed ? { label, detail: "file", word: `${quoteWord(`${folder}${label}`)} ` } : undefined;
      }),
  );
  return found.filter((completion) => completion !== undefined);
}

/** Names that begin with what was typed, as in a shell; without any, those that contain its letters. */
function matchNames<Item extends Choice>(items: readonly Item[], name: string): readonly Item[] {
  const wanted = name.toLowerCase();
  const beginning = items.filter(({ label }) => label.toLowerCase().startsWith(wanted));
  return beginning.length > 0 ? beginning : matchChoices(items, name);
}

/** The folder as written, with its last separator, and the name that is being typed. On Windows both separators divide. */
export function splitPath(
  text: string,
  platform: NodeJS.Platform,
): { folder: string; name: string; separator: string } {
  const at = Math.max(text.lastIndexOf("/"), platform === "win32" ? text.lastIndexOf("\\") : -1) + 1;
  const usual = platform === "win32" ? "\\" : "/";
  return { folder: text.slice(0, at), name: text.slice(at), separator: text.charAt(at - 1) || usual };
}

/** Undefined for a link that leads nowhere. */
function targetOf(link: string): Promise<Stats | undefined> {
  return stat(link).catch(() => undefined);
}
