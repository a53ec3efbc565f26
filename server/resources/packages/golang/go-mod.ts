import semver from "semver";
import { GolangPath } from "../../../protocol/kinds/packages.ts";

/** A `go.mod` or `go.work` file, https://go.dev/ref/mod#go-mod-file */
export interface GoMod {
  /** The path of the module; `go.work` has none. */
  module: string | undefined;
  /** The version of the language: `1.22`. */
  go: string | undefined;
  requires: Requirement[];
  replaces: Replacement[];
  /** The folders of a workspace, relative to the file. */
  uses: string[];
  /** Ranges of its own versions that were withdrawn, each with both ends. */
  retracts: [low: string, high: string][];
}

export interface Requirement {
  path: string;
  version: string;
  isIndirect: boolean;
}

export interface Replacement {
  path: string;
  /** Undefined for every version. */
  version: string | undefined;
  /** A module's path, or a folder's, which begins with `.` or is absolute. */
  to: string;
  toVersion: string | undefined;
}

export function parseGoMod(text: string): GoMod {
  const found: GoMod = { module: undefined, go: undefined, requires: [], replaces: [], uses: [], retracts: [] };
  const excluded = new Set<string>();
  for (const { verb, words, comment } of directivesOf(text)) {
    const [first = "", second = ""] = words;
    if (verb === "module") found.module ??= first;
    else if (verb === "go") found.go ??= first;
    else if (verb === "use") found.uses.push(first);
    else if (verb === "exclude") excluded.add(`${first} ${second}`);
    else if (verb === "require" && words.length === 2)
      found.requires.push({ path: first, version: second, isIndirect: /^\s*indirect\s*(?:;|$)/.test(comment) });
    else if (verb === "replace") found.replaces.push(...readReplacement(words));
    else if (verb === "retract") {
      const [low = "", high = low] = words.map((word) => word.replace(/[[\],]/g, "")).filter((word) => word !== "");
      found.retracts.push([low, high]);
    }
  }
  const isUsable = ({ path, version }: Requirement) => isModule(path, version) && !excluded.has(`${path} ${version}`);
  return { ...found, requires: found.requires.filter(isUsable) };
}

/** Whether the author withdrew a version. */
export function isRetracted(version: string, { retracts }: Pick<GoMod, "retracts">): boolean {
  return retracts.some(
    ([low, high]) => semver.valid(low) && semver.valid(high) && semver.gte(version, low) && semver.lte(version, high),
  );
}

function readReplacement(words: readonly string[]): Replacement[] {
  const arrow = words.indexOf("=>");
  const [path, version] = words.slice(0, arrow);
  const [to, toVersion] = words.slice(arrow + 1);
  if (arrow < 1 || path === undefined || to === undefined) return [];
  return toVersion === undefined || isModule(to, toVersion) ? [{ path, version, to, toVersion }] : [];
}

/** A path of another form could lead out of the module cache. */
function isModule(path: string, version: string): boolean {
  return GolangPath.safeParse(path).success && semver.valid(version) !== null;
}

/** Each directive with its words; those of a block have the verb before its parenthesis. */
function* directivesOf(text: string): Generator<{ verb: string; words: string[]; comment: string }> {
  let block: string | undefined;
  for (const line of text.split("\n")) {
    const [, code = "", comment = ""] = /^(.*?)(?:\/\/(.*))?$/.exec(line.trimEnd()) ?? [];
    const words = [...code.matchAll(/"((?:[^"\\]|\\.)*)"|`([^`]*)`|[()]|[^\s"`()]+/g)].map(
      ([word, quoted, raw]) => quoted ?? raw ?? word,
    );
    if (block !== undefined && words[0] === ")") block = undefined;
    else if (block !== undefined && words.length > 0) yield { verb: block, words, comment };
    else if (words[1] === "(") block = words[0];
    else if (words[0] !== undefined) yield { verb: words[0], words: words.slice(1), comment };
  }
}
