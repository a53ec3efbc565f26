import picomatch from "picomatch";
import { CitewellError, messageOf } from "../errors.ts";
import { createNearTest, nearest } from "../lib/nearest.ts";
import { createTimeSlices } from "../lib/time-slices.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import { classOf, kindOf } from "./file-class.ts";
import type { FileFilter, FileReference, GlobOptions, GlobResult } from "./retrieval.ts";
import { createTimeLimit } from "./time-limit.ts";

/** How long a glob may take over the paths of one snapshot; a plain one takes about a microsecond a path. */
const timeoutMs = 1000;
const globLengthLimit = 1000;
const nearestLimit = 5;

/** The files whose paths match, in the order of their paths. */
export async function globSnapshots(
  snapshots: readonly Snapshot[],
  { pattern, limit, signal }: GlobOptions,
): Promise<GlobResult> {
  const slices = createTimeSlices();
  const matching: GlobResult["files"] = [];
  for (const { resource, files } of snapshots) {
    const accepted = await slices.run(() => filterFiles(files, { glob: pattern }));
    signal?.throwIfAborted();
    for (const { path, sizeBytes } of accepted) matching.push({ resource, path, sizeBytes });
  }
  return {
    files: matching.slice(0, limit),
    total: matching.length,
    searchedFiles: snapshots.reduce((sum, { files }) => sum + files.length, 0),
    nearest: matching.length > 0 ? [] : nearestFiles(snapshots, wordsOfGlob(pattern)),
  };
}

/**
 * The files of some kinds that match a glob. A pattern without a slash matches names at any depth, a folder includes
 * everything below it, commas separate patterns, a leading `!` excludes, and dot files are included.
 * @throws InvalidRequest
 */
export function filterFiles<File extends { path: string }>(
  files: readonly File[],
  { glob, kinds }: FileFilter,
): readonly File[] {
  const accepted = glob === undefined ? files : matchFiles(files, glob);
  return kinds === undefined ? accepted : accepted.filter(({ path }) => kinds.includes(kindOf(classOf(path))));
}

function matchFiles<File extends { path: string }>(files: readonly File[], glob: string): File[] {
  const { isNegated, whole, parts } = compileGlob(glob);
  let accepted: File[] = [];
  const select = () => {
    accepted = [];
    const isWhole = !glob.includes(",") || parts.length === 0 || files.some(({ path }) => whole(path));
    const matches = (path: string) =>
      (isWhole ? whole(path) : parts.some((matchesPart) => matchesPart(path))) !== isNegated;
    for (const file of files) if (matches(file.path)) accepted.push(file);
  };
  if (createTimeLimit()(select, { timeoutMs })) return accepted;
  throw new CitewellError("InvalidRequest", `the glob "${glob}" takes too long`, {
    hint: "use fewer nested parentheses",
  });
}

/** Files whose names come close to one of the words, for a search that found nothing. */
export function nearestFiles(snapshots: readonly Snapshot[], words: readonly string[]): FileReference[] {
  const byName = new Map<string, FileReference>();
  const mayBeNear = createNearTest(words);
  for (const { resource, files } of snapshots) {
    for (const { path } of files) {
      const start = path.lastIndexOf("/") + 1;
      const dot = path.lastIndexOf(".");
      const place = { from: start, to: dot > start ? dot : path.length };
      if (!mayBeNear(path, place)) continue;
      const name = path.slice(place.from, place.to);
      if (!byName.has(name)) byName.set(name, { resource, path });
    }
  }
  const names = new Set(words.flatMap((word) => nearest(word, byName.keys())));
  return [...names].flatMap((name) => byName.get(name) ?? []).slice(0, nearestLimit);
}

type Matcher = (path: string) => boolean;

/** Several globs with commas between, as VS Code's search takes them, are `parts`; but a name may hold a comma. */
function compileGlob(glob: string): { isNegated: boolean; whole: Matcher; parts: readonly Matcher[] } {
  const isNegated = glob.startsWith("!");
  const pattern = glob.slice(isNegated ? 1 : 0);
  const compile = (part: string) => compilePattern(part, { meansFolders: isNegated });
  return { isNegated, whole: compile(pattern), parts: splitAtCommas(pattern).map(compile) };
}

/** Splits at the commas that are not in brackets. */
function splitAtCommas(glob: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const [token] of glob.matchAll(/\\?[^]/gu)) {
    if (/^[{([]$/.test(token)) depth++;
    if (/^[})\]]$/.test(token)) depth--;
    if (token === "," && depth === 0) parts.push("");
    else parts.push(`${parts.pop() ?? ""}${token}`);
  }
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

function compilePattern(pattern: string, options: { meansFolders: boolean }): Matcher {
  const written = withSlashes(pattern.trim()).replace(/^(?:\.?\/)+|^\.$/, "");
  const plain = written.replace(/\/+$/, "").trim();
  if (plain === "") throw new CitewellError("InvalidRequest", "the glob is empty", { hint: "use ** for every file" });
  if (plain.length > globLengthLimit) {
    const message = `the glob has ${plain.length} characters, more than ${globLengthLimit}`;
    throw new CitewellError("InvalidRequest", message);
  }
  const isPath = plain.includes("/");
  const patterns = isPath ? [plain] : [plain, `**/${plain}`];
  const meansFolders = options.meansFolders || written.endsWith("/");
  const matches = compileMatcher(meansFolders ? [...patterns, ...patterns.map((one) => `${one}/**`)] : patterns);
  // Brackets may be meant as they are: `app/[id]/page.tsx` is a path.
  const literal = `/${plain.replaceAll("\\", "")}/`;
  const isNamed = (path: string) => (isPath ? `/${path}/`.startsWith(literal) : `/${path}/`.includes(literal));
  return (path) => isNamed(path) || matches(path);
}

/** Accepts paths as Windows writes them; but brackets that both have a backslash are meant as they are. */
function withSlashes(glob: string): string {
  return glob.replaceAll(/(\\[[({][^\\/]*\\[\])}])|\\/g, (_, brackets?: string) => brackets ?? "/");
}

function compileMatcher(patterns: string | string[]): (path: string) => boolean {
  try {
    return picomatch(patterns, { dot: true });
  } catch (error) {
    throw new CitewellError("InvalidRequest", `no valid glob: ${messageOf(error)}`, { cause: error });
  }
}

function wordsOfGlob(pattern: string): string[] {
  const last = pattern.split("/").findLast((segment) => /\w{2,}/.test(segment)) ?? "";
  return last.replace(/\.\w+$/, "").match(/[\w.-]{2,}/g) ?? [];
}
