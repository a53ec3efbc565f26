import type { FileEntry, Snapshot } from "../../resources/snapshot.ts";
import { mayName, sharedEnd } from "../../source/frames.ts";

/** A file of a snapshot. */
export interface Place {
  snapshot: Snapshot;
  path: string;
}

/** The files that written paths mean; paths that no snapshot has are left out, such as those of libraries. */
export function pointedPlaces<Written extends { path: string }>(
  searched: readonly { snapshot: Snapshot; files: readonly FileEntry[] }[],
  written: readonly Written[],
): (Written & Place)[] {
  if (written.length === 0) return [];
  const names = new Set(written.map(({ path }) => nameOf(path)));
  const named = searched.flatMap(({ snapshot, files }) =>
    files.filter(({ path }) => names.has(nameOf(path))).map(({ path }) => ({ snapshot, path })),
  );
  return written.flatMap((one) => placesOf(one.path, named).map((place) => ({ ...one, ...place })));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The files whose path ends as the written one does; only those that share the most of it. */
function placesOf(written: string, files: readonly Place[]): Place[] {
  const length = written.split("/").length;
  const matches = files.flatMap((place) => {
    const shared = sharedEnd(place.path, written);
    // Of a path on another machine, the name alone may be that of another project's file.
    const isEnough = shared > 1 || (shared === 1 && (length === 1 || !place.path.includes("/")));
    return isEnough && mayName(written, { resource: place.snapshot.resource, path: place.path })
      ? [{ place, shared }]
      : [];
  });
  const most = Math.max(0, ...matches.map(({ shared }) => shared));
  const best = matches.filter(({ shared }) => shared === most);
  // A name that many files have points at none of them.
  return best.length > 2 ? [] : best.map(({ place }) => place);
}
