import { type ComparedDefinition } from "../compare/compare-definitions.ts";
import type { ComparedFile } from "../compare/compare-files.ts";
import { compareVersions, type VersionComparison } from "../compare/compare-versions.ts";
import { diffPlace, unknownPlace } from "../compare/diff-place.ts";
import type { FindComparison } from "../agent/tools/compare.ts";
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
import { namesIn } from "../upgrade/changelog.ts";
import type { FileClass } from "../retrieval/file-class.ts";
import { citedPlaces, type Lines } from "./cited-places.ts";
import type { Call, Context } from "./context.ts";
import { knownTo } from "./known-resources.ts";
import { selectTargets, type Target } from "./targets.ts";
import { type OpenedVersion, openTwoVersions, type TwoVersions, versionsAmong } from "./two-versions.ts";

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
  const found = await compareOpened(versions, { changelogs, signal });
  const comparison = await showComparison(versions, found, { place, limit, signal });
  if (place !== undefined && comparison.diff === undefined) throw unknownPlace(place, found);
  return comparison;
}

function compareOpened(
  { before, after }: TwoVersions,
  { changelogs = [], signal }: { changelogs?: readonly Snapshot[]; signal: AbortSignal },
): Promise<VersionComparison> {
  const names = { from: before.version, to: after.version };
  return compareVersions({ before: before.snapshot, after: after.snapshot, names }, { changelogs, signal });
}

/** Lets an answer compare, if two of the resources of a question are versions of one thing. */
export function comparisonFor(
  snapshots: readonly Snapshot[],
  targetOf: (resource: string) => Target,
  signal: AbortSignal,
): FindComparison | undefined {
  const versions = versionsAmong(snapshots, targetOf);
  if (versions === undefined) return undefined;
  let comparing: Promise<VersionComparison> | undefined;
  return async ({ place, limit }) => {
    comparing ??= compareOpened(versions, { signal });
    return showComparison(versions, await comparing, { place, limit, signal });
  };
}

/** A comparison in the form that clients get; without the diff if nothing that has changed is called like the place. */
async function showComparison(
  { of, before, after }: TwoVersions,
  found: VersionComparison,
  { place, limit, signal }: { place: string | undefined; limit: number; signal: AbortSignal },
): Promise<Comparison> {
  const snapshots = { before: before.snapshot, after: after.snapshot };
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
  const diff = place === undefined ? undefined : await diffPlace(place, found, { ...snapshots, cite, signal });
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
    ...(diff === undefined ? {} : { diff }),
    ...(place === undefined ? {} : { mentions: await Promise.all(mentionsOf(place, found).slice(0, limit).map(cite)) }),
    notes: notesOf(found, snapshots),
  };
}

/** Items of changelogs that name a definition: `res.send`. */
function mentionsOf(place: string, { entries }: VersionComparison) {
  const parts = place.split(/[.#]|::/);
  const name = parts.pop() ?? place;
  return /^[\w$]+$/.test(name) ? entries.filter((entry) => namesIn(entry, { name, owners: parts })) : [];
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
