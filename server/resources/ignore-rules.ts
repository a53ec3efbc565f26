import { lstatSync, readFileSync, type Stats } from "node:fs";
import path from "node:path";
import ignore, { type Ignore } from "ignore";
import { leftOutFolders } from "../protocol/search.ts";
import type { Exclude, ExcludeEntry } from "./walk.ts";

/** Always excluded, whatever the ignore files say, with the reason to report; git's own data is not reported. */
const leftOut = new Map<string, string>([[".git", ""], ...Object.entries(leftOutFolders)]);

/** Whether a path (relative to the resource's root) is always excluded, whatever the ignore files say. */
export function isAlwaysLeftOut(file: string): boolean {
  return file.split("/").some((name) => leftOut.has(name));
}

/**
 * Excludes what the `.gitignore` and `.ignore` files at every level of a folder ignore, with git's rules; also those of
 * the repository around it, up to its root, and its `info/exclude`. `root` is a real path. Files that git tracks are
 * the project's, whatever the rules say: `tracked` are those that match one, relative to the root.
 */
export function createIgnoreRules(root: string, tracked: readonly string[] = []): Exclude {
  const { top, prefix, excluded, above } = readOuterRules(root);
  const outer = above.reduce<Rules>(
    (rules, { folder, lines }) => withFolderRules(rules, { folder, lines }),
    withRules(undefined, excluded),
  );
  // A user who names an ignored folder, such as a build's output, wants to read it.
  const isIgnored = prefix !== "" && outer?.ignores(`${prefix}/`) === true;
  const start = isIgnored ? { top: root, prefix: "", rules: undefined } : { top, prefix, rules: outer };
  return rulesBelow({ ...start, tracked: withFolders(tracked) });
}

/** Whether a folder is in a git repository. */
export function isInRepository(root: string): boolean {
  return statsOf(path.join(repositoryAround(root), ".git")) !== undefined;
}

/** The files, and the folders that they are in. */
function withFolders(files: readonly string[]): ReadonlySet<string> {
  const all = new Set(files);
  for (const file of files) {
    for (let folder = parentOf(file); folder !== ""; folder = parentOf(folder)) all.add(folder);
  }
  return all;
}

/** The rules for a folder that are not in the folder itself. */
export interface OuterRules {
  /** The root of the repository around it, or the folder itself. */
  top: string;
  /** The folder's path from there, with forward slashes. */
  prefix: string;
  /** The lines of `info/exclude`. */
  excluded: string[];
  /** The lines of the ignore files of each folder above, from the top. */
  above: { folder: string; lines: string[] }[];
}

/** Reads the rules that apply to a folder (a real path) from outside. */
export function readOuterRules(root: string): OuterRules {
  const top = repositoryAround(root);
  const prefix = path.relative(top, root).split(path.sep).join("/");
  const parts = prefix === "" ? [] : prefix.split("/");
  const above = parts.map((_, index) => parts.slice(0, index).join("/"));
  return {
    top,
    prefix,
    excluded: readRules(path.join(top, ".git", "info", "exclude")),
    above: above.map((folder) => ({ folder, lines: readFolderRules(path.join(top, folder)) })),
  };
}

/** Whether a folder's rules are in a file of this name. */
export function isIgnoreFile(name: string): boolean {
  return ignoreFiles.includes(name.toLowerCase());
}

const ignoreFiles = [".gitignore", ".ignore"];

/** Undefined for an empty list: testing it for each file takes a seventh of a walk. */
type Rules = Ignore | undefined;

interface RulesBelow {
  top: string;
  prefix: string;
  rules: Rules;
  tracked: ReadonlySet<string>;
}

function rulesBelow({ top, prefix, rules, tracked }: RulesBelow): Exclude {
  const below = (folder: string) => (prefix === "" || folder === "" ? prefix + folder : `${prefix}/${folder}`);
  const extend = (outer: Rules, folder: string, mayHold?: ExcludeEntry["mayHaveSibling"]) =>
    withFolderRules(outer, { folder, lines: readFolderRules(path.join(top, folder), mayHold) });
  const byFolder = new Map<string, Rules>();
  const rulesIn = (folder: string, mayHold?: ExcludeEntry["mayHaveSibling"]): Rules => {
    if (byFolder.has(folder)) return byFolder.get(folder);
    const own = extend(folder === "" ? rules : rulesIn(parentOf(folder)), below(folder), mayHold);
    byFolder.set(folder, own);
    return own;
  };
  return (file, { isFolder, mayHaveSibling }) => {
    const parent = parentOf(file);
    const fixed = leftOut.get(parent === "" ? file : file.slice(parent.length + 1));
    if (fixed !== undefined) return fixed;
    if (tracked.has(file)) return undefined;
    const isIgnored = rulesIn(parent, mayHaveSibling)?.ignores(isFolder ? `${below(file)}/` : below(file));
    return isIgnored === true ? "ignored by .gitignore or .ignore" : undefined;
  };
}

/** The root of the repository around a folder, or the folder itself. */
function repositoryAround(root: string): string {
  for (let folder = root; path.dirname(folder) !== folder; folder = path.dirname(folder)) {
    if (statsOf(path.join(folder, ".git")) !== undefined) return folder;
  }
  return root;
}

function readFolderRules(folder: string, mayHold: (name: string) => boolean = () => true): string[] {
  return ignoreFiles.filter(mayHold).flatMap((name) => readRules(path.join(folder, name)));
}

/** Adds the rules of a folder, which take precedence. All rules are relative to the top folder. */
function withFolderRules(rules: Rules, { folder, lines }: { folder: string; lines: string[] }): Rules {
  return withRules(
    rules,
    lines.map((rule) => rebase(rule, folder)),
  );
}

function withRules(rules: Rules, more: string[]): Rules {
  if (more.length === 0) return rules;
  return ignore({ ignorecase: false })
    .add(rules ?? [])
    .add(more);
}

/** Makes a folder's rule relative to the top folder. A rule with a slash before its end is anchored. */
function rebase(rule: string, folder: string): string {
  if (folder === "") return rule;
  const [, not = "", pattern = ""] = /^(!?)(.*)$/s.exec(rule) ?? [];
  const isAnchored = pattern.slice(0, -1).includes("/");
  const base = folder.replace(/[\\*?[\]!# ]/g, "\\$&");
  return `${not}/${base}/${isAnchored ? pattern.replace(/^\//, "") : `**/${pattern}`}`;
}

/** The limit in bytes: a larger file is not a list of rules. */
const rulesLimitBytes = 1024 * 1024;

function readRules(file: string): string[] {
  const stats = statsOf(file);
  if (stats === undefined || !stats.isFile() || stats.size > rulesLimitBytes) return [];
  const lines = readText(file).split(/\r?\n/);
  return lines.filter((line) => line.trim() !== "" && !line.startsWith("#"));
}

/** Unreadable folders have no rules: the walk reports why they are not read. */
function statsOf(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** Called for every file of a tree: `path.posix.dirname` takes several times as long. */
function parentOf(file: string): string {
  return file.slice(0, Math.max(0, file.lastIndexOf("/")));
}
