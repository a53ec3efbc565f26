import type { SkippedFile } from "../../resources/snapshot.ts";
import { binaryReason } from "../../resources/tree-reader.ts";
import { unlessDamaged } from "../format/index-file.ts";
import { describePaths, type PathFacts } from "../index/path-facts.ts";
import type { TextPlace } from "../index/snapshot-index.ts";
import type { StoredIndex } from "../index/stored-index.ts";

/** The files indexed so far; entries are only added. */
export interface IndexPlan {
  segments: string[];
  /** The places by path; undefined for a file that is not searched. */
  places: Map<string, TextPlace | undefined>;
  skipped: SkippedFile[];
}

/** The files of a snapshot, with stamps that detect changes without reading. */
type StampedFiles = StoredIndex["files"];

export function emptyPlan(): IndexPlan {
  return { segments: [], places: new Map(), skipped: [] };
}

/** The number of a segment, which comes into the plan where it is not in it. */
export function segmentNumber(plan: IndexPlan, id: string): number {
  const at = plan.segments.indexOf(id);
  return at === -1 ? plan.segments.push(id) - 1 : at;
}

/** Of the last index, the files whose stamps are the same, unless they could not be read; none where it is damaged. */
export function takeOver(files: StampedFiles, before: StoredIndex): IndexPlan {
  return unlessDamaged(() => keepSame(files, before)) ?? emptyPlan();
}

function keepSame(files: StampedFiles, before: StoredIndex): IndexPlan {
  const faults = new Map(before.skipped.map((file) => [file.path, file]));
  const plan: IndexPlan = { ...emptyPlan(), segments: [...before.segments] };
  // Both are in the order of their paths.
  let number = 0;
  for (const { path, stamp } of files) {
    while ((before.files[number]?.path ?? path) < path) number++;
    const same = before.files[number];
    if (same?.path !== path || stamp === undefined || same.stamp !== stamp) continue;
    const place = before.places[number];
    const fault = faults.get(path);
    // An unchanged file may become readable: its permissions may change.
    if (place === undefined && fault?.reason !== binaryReason) continue;
    if (fault !== undefined) plan.skipped.push(fault);
    plan.places.set(path, place);
  }
  return plan;
}

/** The plan as it is kept: without the segments that it does not use. */
export function toStored(
  files: StampedFiles,
  { segments, places, skipped }: IndexPlan,
  before: StoredIndex | undefined,
): Omit<StoredIndex, "key"> {
  const used = new Set<number>();
  for (const place of places.values()) if (place !== undefined) used.add(place.segment);
  const inUse = [...used].sort((a, b) => a - b);
  const numbers = new Map(inUse.map((segment, number) => [segment, number]));
  const ownPlaces = files.map(({ path }) => {
    const place = places.get(path);
    return place && { segment: numbers.get(place.segment) ?? 0, file: place.file };
  });
  const placed = placedPaths({ files, places: ownPlaces });
  return {
    segments: inUse.map((segment) => segments[segment] ?? ""),
    places: ownPlaces,
    facts: (before && unlessDamaged(() => knownFacts(placed, before))) ?? describePaths(placed),
    files,
    skipped: [...new Map(skipped.map((file) => [file.path, file])).values()],
  };
}

/** The entries that stay valid: mostly a folder changes within files. @throws DamagedIndex */
function knownFacts(paths: readonly string[], before: StoredIndex): PathFacts | undefined {
  const known = placedPaths(before);
  const isSame = known.length === paths.length && known.every((path, index) => path === paths[index]);
  return isSame ? before.facts : undefined;
}

function placedPaths({ files, places }: Pick<StoredIndex, "files" | "places">): string[] {
  return files.filter((_, number) => places[number] !== undefined).map(({ path }) => path);
}
