import type { FindFilesRequest, FoundFiles } from "../protocol/source.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import { filterFiles } from "../retrieval/glob.ts";
import type { Call, Context } from "./context.ts";
import { knownTo } from "./known-resources.ts";
import { openTargetsQuietly } from "./open.ts";

/**
 * Files of the open projects whose path has the letters of the query: those whose name begins with it first. Empty without
 * an open project.
 * @throws InvalidRequest (an excluded pattern is no valid glob)
 */
export async function findFiles(
  { query, exclude, limit }: FindFilesRequest,
  { tenant }: Context,
  { signal }: Call,
): Promise<FoundFiles> {
  const { projects } = await knownTo(tenant);
  if (projects.length === 0) return { files: [] };
  const owned: Snapshot[] = [];
  try {
    const { resources, followed, patience } = tenant;
    const options = { resources, followed, patience, areNamed: false, signal };
    const { snapshots } = await openTargetsQuietly(projects, { ...options, own: (snapshot) => owned.push(snapshot) });
    const wanted = query.toLowerCase();
    const found = snapshots
      .flatMap((snapshot) => filesOf(snapshot, exclude))
      .map((file) => ({ file, rank: rankOf(file.path.toLowerCase(), wanted) }))
      .filter(({ rank }) => rank !== undefined)
      .toSorted((a, b) => (a.rank ?? 0) - (b.rank ?? 0) || a.file.path.length - b.file.path.length);
    return { files: found.slice(0, limit).map(({ file }) => file) };
  } finally {
    await Promise.all(owned.map((snapshot) => snapshot[Symbol.asyncDispose]()));
  }
}

function filesOf(snapshot: Snapshot, exclude: readonly string[]): FoundFiles["files"] {
  const kept = exclude.reduce((files, glob) => filterFiles(files, { glob: `!${glob}` }), snapshot.files);
  return kept.flatMap(({ path }) => {
    const pathOnDisk = snapshot.pathOnDisk(path);
    return pathOnDisk === undefined ? [] : [{ resource: snapshot.resource, path, pathOnDisk }];
  });
}

/** Lower is better; undefined where the path lacks the letters. Both in lower case. */
function rankOf(path: string, wanted: string): number | undefined {
  const at = path.indexOf(wanted, path.lastIndexOf("/") + 1);
  if (at !== -1) return path[at - 1] === undefined || path[at - 1] === "/" ? 0 : 1;
  if (path.includes(wanted)) return 2;
  let next = 0;
  for (const letter of path) if (letter === wanted[next]) next++;
  return next === wanted.length ? 3 : undefined;
}
