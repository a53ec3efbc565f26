import path from "node:path";
import type { Snapshot } from "../resources/snapshot.ts";

/**
 * The file of a project that a path in one of its documents means: relative to the project's root or to the document's
 * folder. Where both exist, a link means what it opens, and other text may mean either: then both are returned.
 */
export function findInProject(
  file: string,
  {
    snapshot,
    folder,
    isLink,
    has,
  }: {
    snapshot: Snapshot;
    folder: string | undefined;
    isLink: boolean;
    has: (snapshot: Snapshot, file: string) => string | undefined;
  },
): string | readonly [string, string] | undefined {
  const relative = fromFolder(file, { directory: snapshot.info.directory, folder });
  const beside = relative === undefined ? undefined : has(snapshot, relative);
  const below = file.startsWith("../") ? undefined : has(snapshot, file);
  if (beside === undefined || below === undefined || beside === below) return beside ?? below;
  return isLink || file.startsWith("./") ? beside : [below, beside];
}

/** The path from the project's root; undefined where it leads out of the project. */
function fromFolder(
  file: string,
  { directory, folder }: { directory: string | undefined; folder: string | undefined },
): string | undefined {
  if (directory === undefined || folder === undefined || file.startsWith("/")) return undefined;
  const relative = path.relative(directory, path.resolve(folder, file));
  const leadsOut = relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
  return leadsOut ? undefined : relative.split(path.sep).join("/");
}
