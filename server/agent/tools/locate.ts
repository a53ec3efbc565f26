import { CitewellError } from "../../errors.ts";
import { nearest } from "../../lib/nearest.ts";
import { decodePath } from "../../protocol/passage.ts";
import { splitPlace } from "../../protocol/source.ts";
import type { Snapshot } from "../../resources/snapshot.ts";

/**
 * The snapshots that a call is about: the named one, else all.
 * @throws ResourceNotFound
 */
export function chooseSnapshots(snapshots: readonly Snapshot[], resource: string | undefined): readonly Snapshot[] {
  if (resource === undefined) return snapshots;
  const chosen = snapshots.filter((snapshot) => snapshot.resource === resource);
  if (chosen.length > 0) return chosen;
  throw new CitewellError("ResourceNotFound", `no resource named ${JSON.stringify(resource)}`, {
    hint: `the resources are: ${snapshots.map((snapshot) => snapshot.resource).join(", ")}`,
  });
}

/**
 * The file that a model means: a path, also as `resource:path`, with a leading `./` or `/`, or as in a marker.
 * @throws ResourceNotFound, FileNotFound (with the nearest files, or why it cannot be read), InvalidRequest (in several
 * resources)
 */
export function locateFile(
  snapshots: readonly Snapshot[],
  { path: requested, resource }: { path: string; resource: string | undefined },
): { snapshot: Snapshot; path: string } {
  const chosen = chooseSnapshots(snapshots, resource);
  const found = chosen.flatMap((snapshot) => {
    const path = spellings(requested, snapshot).find((spelling) =>
      snapshot.files.some((file) => file.path === spelling),
    );
    return path === undefined ? [] : [{ snapshot, path }];
  });
  const [first, second] = found;
  if (first === undefined) throw notFound(chosen, requested);
  if (second === undefined) return first;
  const owners = found.map(({ snapshot }) => snapshot.resource).join(", ");
  throw new CitewellError("InvalidRequest", `${JSON.stringify(requested)} is in several resources: ${owners}`, {
    hint: "say which one with `resource`",
  });
}

/** What a path may stand for in a snapshot, the path as it is first. */
export function spellings(requested: string, { resource }: Snapshot): string[] {
  const unmarked = requested.trim().replace(/^\[\[|\]\]$/g, "");
  const withoutName = unmarked.startsWith(`${resource}:`) ? unmarked.slice(resource.length + 1) : unmarked;
  const plain = withoutName.replaceAll("\\", "/").replace(/^(?:\.?\/)+/, "");
  return [requested, plain, decodePath(splitPlace(plain).path.replace(/#L\d.*$/, ""))];
}

function notFound(snapshots: readonly Snapshot[], requested: string): CitewellError {
  const message = `no file ${JSON.stringify(requested)} in ${snapshots.map(({ resource }) => resource).join(", ")}`;
  for (const snapshot of snapshots) {
    const paths = spellings(requested, snapshot);
    const skipped = snapshot.skipped.find(({ path }) => paths.includes(path));
    if (skipped !== undefined) {
      return new CitewellError(
        "FileNotReadable",
        `${snapshot.resource}:${skipped.path} is not read: ${skipped.reason}`,
      );
    }
    const folder = paths.find((path) =>
      snapshot.files.some((file) => file.path.startsWith(`${path.replace(/\/$/, "")}/`)),
    );
    if (folder !== undefined) {
      return new CitewellError("FileNotFound", `${snapshot.resource}:${folder} is a folder`, {
        hint: "use list to see what is in it",
      });
    }
  }
  const close = snapshots.flatMap((snapshot) =>
    nearestFiles(snapshot, spellings(requested, snapshot).at(-1) ?? requested),
  );
  const hint =
    close.length > 0 ? `the nearest are: ${close.slice(0, 5).join(", ")}` : "find it with glob, for example **/name.*";
  return new CitewellError("FileNotFound", message, { hint });
}

/** Files of the same name elsewhere, else those of a similar path or name. */
function nearestFiles({ resource, files }: Snapshot, requested: string): string[] {
  const name = nameOf(requested).toLowerCase();
  const sameName = files.filter(({ path }) => nameOf(path).toLowerCase() === name).map(({ path }) => path);
  const similarNames = new Set(
    sameName.length > 0 ? [] : nearest(name, new Set(files.map(({ path }) => nameOf(path)))),
  );
  const similar = files.filter(({ path }) => similarNames.has(nameOf(path))).map(({ path }) => path);
  return [...sameName, ...similar].slice(0, 5).map((path) => `${resource}:${path}`);
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
