import { CitewellError } from "../errors.ts";
import { nearest } from "../lib/nearest.ts";
import type { CitedPlace } from "../protocol/cited-place.ts";
import type { DiffHunk, PlaceDiff } from "../protocol/compare.ts";
import { quoteValue } from "../protocol/validation.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import { maskLines } from "../source/mask.ts";
import type { ComparedFile } from "./compare-files.ts";
import { hunksOf, type VersionComparison } from "./compare-versions.ts";
import type { ReadDefinition } from "./read-definitions.ts";

/** The most lines of a diff. */
const linesShown = 400;

interface DiffOptions {
  before: Snapshot;
  after: Snapshot;
  cite(lines: { snapshot: Snapshot; path: string; line: number; endLine?: number }): Promise<CitedPlace>;
  signal: AbortSignal;
}

/**
 * The changed lines of a file or a definition; undefined if no file and no changed definition is called so.
 * @throws FileNotReadable (binary, or too large)
 */
export async function diffPlace(
  place: string,
  found: VersionComparison,
  { before, after, cite, signal }: DiffOptions,
): Promise<PlaceDiff | undefined> {
  const written = place.replace(/^\.?\/+/, "");
  const file = findFile(written, found.files);
  if (file !== undefined) return diffFile(file);
  if ([before, after].some(({ files }) => files.some(({ path }) => path === written))) {
    const same = await cite({ snapshot: after, path: written, line: 1 });
    return { place: written, after: same, hunks: [], omittedLines: 0 };
  }
  const named = found.definitions.filter(({ name }) => name === place || name.endsWith(`.${place}`));
  const [definition] = named.toSorted((a, b) => Number(b.name === place) - Number(a.name === place));
  return definition && diffDefinition(definition.name, definition.before, definition.after);

  async function diffFile({ path, from = path, before: old, after: now }: ComparedFile): Promise<PlaceDiff> {
    if (old === undefined && now === undefined) {
      throw new CitewellError("FileNotReadable", `${path} is binary or too large: its lines cannot be compared`, {
        hint: "open both versions of it",
      });
    }
    const whole = async (snapshot: Snapshot, file: string, lines: readonly string[]) =>
      lines.length === 0 ? undefined : cite({ snapshot, path: file, line: 1, endLine: lines.length });
    const [oldLines, newLines] = [maskedAll(old?.lines ?? []), maskedAll(now?.lines ?? [])];
    return toDiff(from === path ? path : `${from} → ${path}`, {
      before: await whole(before, from, oldLines),
      after: await whole(after, path, newLines),
      hunks: hunksOf(oldLines, newLines),
    });
  }

  async function diffDefinition(
    name: string,
    old: ReadDefinition | undefined,
    now: ReadDefinition | undefined,
  ): Promise<PlaceDiff> {
    const linesOf = async (snapshot: Snapshot, one: ReadDefinition | undefined) => {
      if (one === undefined) return [];
      const { lines } = await snapshot.read(one.path, { signal });
      return maskLines(lines, { startLine: one.line, endLine: one.endLine });
    };
    const place = async (snapshot: Snapshot, one: ReadDefinition | undefined) =>
      one && cite({ snapshot, path: one.path, line: one.line, endLine: one.endLine });
    const [oldLines, newLines] = [await linesOf(before, old), await linesOf(after, now)];
    return toDiff(name, {
      before: await place(before, old),
      after: await place(after, now),
      hunks: hunksOf(oldLines, newLines, { oldFirst: old?.line ?? 1, newFirst: now?.line ?? 1 }),
    });
  }
}

function maskedAll(lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : maskLines(lines, { startLine: 1, endLine: lines.length });
}

/** The file of that path before or after, else the only one that ends with it. */
function findFile(path: string, files: readonly ComparedFile[]): ComparedFile | undefined {
  const exact = files.find((file) => file.path === path || file.from === path);
  const ending = files.filter((file) => [file.path, file.from].some((one) => one?.endsWith(`/${path}`)));
  return exact ?? (ending.length === 1 ? ending[0] : undefined);
}

function toDiff(
  place: string,
  { before, after, hunks }: { before: CitedPlace | undefined; after: CitedPlace | undefined; hunks: DiffHunk[] },
): PlaceDiff {
  let left = linesShown;
  const shown = hunks.flatMap((hunk) => {
    const lines = hunk.lines.slice(0, Math.max(0, left));
    left -= lines.length;
    return lines.length === 0 ? [] : [{ ...hunk, lines }];
  });
  const changed = (some: readonly DiffHunk[]) =>
    some.reduce((sum, { lines }) => sum + lines.filter((line) => !line.startsWith(" ")).length, 0);
  return {
    place,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
    hunks: shown,
    omittedLines: changed(hunks) - changed(shown),
  };
}

export function unknownPlace(place: string, { files, definitions }: VersionComparison): CitewellError {
  const close = nearest(place, [...definitions.map(({ name }) => name), ...files.map(({ path }) => path)]);
  return new CitewellError(
    "FileNotFound",
    `no file, and no definition that has changed, is called ${quoteValue(place)}`,
    {
      hint:
        close.length > 0
          ? `did you mean ${close.join(" or ")}?`
          : "name a path, or a definition as the comparison lists it; what is the same in both is not listed",
    },
  );
}
