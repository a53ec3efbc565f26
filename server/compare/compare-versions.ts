import type { DiffHunk } from "../protocol/compare.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import {
  type ChangelogEntry,
  type InSnapshot,
  isChangelog,
  readChangelogs,
  type VersionSection,
} from "../upgrade/changelog.ts";
import { forwardsIn } from "../upgrade/forwards.ts";
import { numbersOf } from "../upgrade/version-numbers.ts";
import { type ComparedDefinition, compareDefinitions } from "./compare-definitions.ts";
import { compareFiles, type FileComparison } from "./compare-files.ts";
import { diffLines } from "../source/line-diff.ts";

/** Two versions of one thing, whose files are open. */
export interface Versions {
  before: Snapshot;
  after: Snapshot;
  /** As people name them: `4.21.2`, `v5`, a commit. */
  names: { from: string; to: string };
}

export interface VersionComparison extends FileComparison {
  definitions: ComparedDefinition[];
  sections: InSnapshot<VersionSection>[];
  entries: InSnapshot<ChangelogEntry>[];
}

/** Compares two versions by their text: files, definitions, and what changelogs say between them. */
export async function compareVersions(
  { before, after, names }: Versions,
  { changelogs = [], signal }: { changelogs?: readonly Snapshot[]; signal: AbortSignal },
): Promise<VersionComparison> {
  const { files, notes } = await compareFiles(before, after, { signal });
  const definitions = await compareDefinitions(files, {
    before: before.files.map(({ path }) => path),
    after: after.files.map(({ path }) => path),
    version: names.to,
    signal,
  });
  const forwarded = new Set(
    files.flatMap(({ fileClass, path, after: source }) =>
      source === undefined || fileClass !== "source" ? [] : forwardsIn(path, source.text).map(({ module }) => module),
    ),
  );
  const elsewhere = Array.from(forwarded, (module) => `names that are exported from ${module}, another package`);
  const isNumbered = numbersOf(names.from).length > 0 && numbersOf(names.to).length > 0;
  const told = after.files.map(({ path }) => path).filter(isChangelog);
  if (isNumbered) await after.preload?.(told, { signal });
  const { sections, entries } = isNumbered
    ? await readChangelogs([after, ...changelogs], names, { signal })
    : { sections: [], entries: [] };
  return { files, definitions, sections, entries, notes: [...notes, ...elsewhere] };
}

const linesAround = 3;

/** The changes of two texts with the lines around them; `oldFirst` and `newFirst` are the numbers of their first lines. */
export function hunksOf(
  before: readonly string[],
  after: readonly string[],
  { oldFirst = 1, newFirst = 1 }: { oldFirst?: number; newFirst?: number } = {},
): DiffHunk[] {
  const hunks: DiffHunk[] = [];
  let last: { hunk: DiffHunk; oldEnd: number } | undefined;
  for (const { oldStart, oldCount, newStart, newCount } of diffLines(before, after)) {
    const start = Math.max(1, oldStart - linesAround);
    if (last === undefined || start > last.oldEnd + 1) {
      closeLast();
      const newAt = newStart - (oldStart - start);
      const hunk = { oldStart: start + oldFirst - 1, newStart: newAt + newFirst - 1, lines: context(start, oldStart) };
      hunks.push(hunk);
      last = { hunk, oldEnd: 0 };
    } else last.hunk.lines.push(...context(last.oldEnd - linesAround + 1, oldStart));
    last.hunk.lines.push(...before.slice(oldStart - 1, oldStart - 1 + oldCount).map((line) => `-${line}`));
    last.hunk.lines.push(...after.slice(newStart - 1, newStart - 1 + newCount).map((line) => `+${line}`));
    last.oldEnd = oldStart + oldCount - 1 + linesAround;
  }
  closeLast();
  return hunks;

  function closeLast(): void {
    if (last !== undefined) last.hunk.lines.push(...context(last.oldEnd - linesAround + 1, last.oldEnd + 1));
  }

  /** The old lines from one to before another. */
  function context(from: number, to: number): string[] {
    return before.slice(from - 1, Math.max(from - 1, to - 1)).map((line) => ` ${line}`);
  }
}
