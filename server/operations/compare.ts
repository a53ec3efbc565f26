import { type ComparedDefinition } from "../compare/compare-definitions.ts";
import type { ComparedFile } from "../compare/compare-files.ts";
import { compareVersions, type VersionComparison } from "../compare/compare-versions.ts";
import { diffPlace } from "../compare/diff-place.ts";
import { createDisposalStack } from "../lib/disposal-stack.ts";
import type { CitedPlace } from "../protocol/cited-place.ts";
import {
  type ComparedSide,
  type CompareRequest,
  type Comparison,
  DefinitionChange,
  FileChange,
} from "../protocol/compare.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import type { FileClass } from "../retrieval/file-class.ts";
import { citedPlaces, type Lines } from "./cited-places.ts";
import type { Call, Context } from "./context.ts";
import { knownTo } from "./known-resources.ts";
import { selectTargets } from "./targets.ts";
import { type OpenedVersion, openTwoVersions, type TwoVersions } from "./two-versions.ts";

/**
 * What differs between two versions of one thing: files, definitions and what changelogs say between them. Asks no model.
 * @throws as `openTwoVersions`; FileNotFound, FileNotReadable (the place)
 */
export async function compare(
  { before, after, place, changelog, limit }: CompareRequest,
  { tenant }: Context,
  { signal }: Call,
): Promise<Comparison> {
  await using opened = createDisposalStack();
  const versions = await openTwoVersions({ before, after }, { tenant }, { opened, signal });
  const named = changelog === undefined ? [] : selectTargets([changelog], await knownTo(tenant), tenant.places);
  const changelogs: Snapshot[] = [];
  for (const target of named) changelogs.push(opened.use(await tenant.resources.open(target, { signal })));
  return await reportComparison(versions, { place, changelogs, limit, signal });
}

/** The comparison of two open versions, in the form that clients get. */
export async function reportComparison(
  versions: TwoVersions,
  {
    place,
    changelogs = [],
    limit,
    signal,
  }: { place?: string | undefined; changelogs?: readonly Snapshot[]; limit: number; signal: AbortSignal },
): Promise<Comparison> {
  const { of, before, after } = versions;
  const names = { from: before.version, to: after.version };
  const snapshots = { before: before.snapshot, after: after.snapshot };
  const found = await compareVersions({ ...snapshots, names }, { changelogs, signal });
  const named = (snapshot: Snapshot) =>
    snapshot === after.snapshot ? after.resource : snapshot === before.snapshot ? before.resource : snapshot.resource;
  const cite = citedPlaces(named, signal);
  const files = FileChange.options.flatMap((change) =>
    found.files
      .filter((file) => file.change === change)
      .toSorted(byWeight)
      .slice(0, limit),
  );
  const definitions = DefinitionChange.options.flatMap((change) =>
    found.definitions.filter((one) => one.change === change).slice(0, limit),
  );
  const cited = async (one: ComparedDefinition) => {
    const places: { before?: CitedPlace; after?: CitedPlace } = {};
    if (one.before !== undefined) places.before = await cite(linesOf(before.snapshot, one.before));
    if (one.after !== undefined) places.after = await cite(linesOf(after.snapshot, one.after));
    return { name: one.name, change: one.change, isPublic: one.isPublic, ...places };
  };
  return {
    of,
    before: sideOf(before),
    after: sideOf(after),
    files: files.map(showFile),
    fileCounts: { removed: 0, renamed: 0, changed: 0, added: 0, ...countChanges(found.files) },
    definitions: await Promise.all(definitions.map(cited)),
    definitionCounts: { removed: 0, signature: 0, added: 0, moved: 0, body: 0, ...countChanges(found.definitions) },
    sections: await Promise.all(found.sections.slice(0, limit).map(cite)),
    sectionCount: found.sections.length,
    ...(place === undefined ? {} : { diff: await diffPlace(place, found, { ...snapshots, cite, signal }) }),
    notes: notesOf(found, snapshots),
  };
}

function linesOf(snapshot: Snapshot, { path, line }: { path: string; line: number }): Lines {
  return { snapshot, path, line };
}

function sideOf({ snapshot, resource, version }: OpenedVersion): ComparedSide {
  const { commit, revision, info } = snapshot;
  return { resource, ...(commit === undefined ? {} : { commit: revision }), version, label: info.label };
}

const aside = new Set<FileClass>([
  "test",
  "example",
  "vendored",
  "generated",
  "locale",
  "data",
  "template",
  "outdated",
]);

/** Sources first, then documents and settings, then what is aside; in each, the most changed lines first. */
function byWeight(one: ComparedFile, other: ComparedFile): number {
  const rank = ({ fileClass }: ComparedFile) =>
    aside.has(fileClass) ? 2 : fileClass === "source" || fileClass === "declaration" ? 0 : 1;
  const size = ({ addedLines, removedLines }: ComparedFile) => addedLines + removedLines;
  return rank(one) - rank(other) || size(other) - size(one);
}

function showFile(file: ComparedFile): Comparison["files"][number] {
  const { change, path, from, similarity, addedLines, removedLines, fileClass, before, after } = file;
  return {
    change,
    path,
    ...(from === undefined ? {} : { from }),
    ...(similarity === undefined ? {} : { similarity }),
    addedLines,
    removedLines,
    isText: before !== undefined || after !== undefined,
    isAside: aside.has(fileClass),
  };
}

function countChanges<Change extends string>(found: readonly { change: Change }[]): Partial<Record<Change, number>> {
  const counts: Partial<Record<Change, number>> = {};
  for (const { change } of found) counts[change] = (counts[change] ?? 0) + 1;
  return counts;
}

function notesOf({ notes, sections, files }: VersionComparison, { after }: { after: Snapshot }): string[] {
  const isEmpty = after.files.length === 0;
  return [
    ...notes,
    ...(isEmpty ? [`${after.info.label} has no files that can be read`] : []),
    ...(sections.length === 0 && files.length > 0 ? ["what a changelog says: none of these versions is in one"] : []),
    "what code does otherwise without another text, such as through its dependencies",
  ];
}
