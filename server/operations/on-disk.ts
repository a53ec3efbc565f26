import nodePath from "node:path";
import { CitewellError } from "../errors.ts";
import { isSameRevision, type LineRange } from "../protocol/citation.ts";
import { type ReadRequest, splitPlace } from "../protocol/source.ts";
import type { Resources } from "../resources/resources.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import type { ThreadStore } from "../threads/threads.ts";
import type { TenantServices } from "./context.ts";
import { type KnownResources, knownTo } from "./known-resources.ts";
import type { Patience } from "./open.ts";
import type { OpenedRevisions } from "./revisions.ts";
import { type Places, selectTargets, type Target } from "./targets.ts";

export interface OnDiskContext {
  known: KnownResources;
  places: Places;
  resources: Resources;
  patience: Patience;
}

export interface ReadContext extends OnDiskContext {
  threads: Pick<ThreadStore, "findCited">;
}

/** The open project, else the only resource. @throws InvalidRequest (there are several, or none) */
export function impliedResource({ projects, unnamed }: KnownResources): string {
  const names = (projects.length > 0 ? projects : unnamed).map(({ name }) => name);
  const [only, another] = names;
  if (only !== undefined && another === undefined) return only;
  const [why, hint] =
    only === undefined
      ? ["none is configured", "name one: npm:zod, an https git URL or an absolute folder"]
      : ["there are several", `name one: ${names.join(", ")}`];
  throw new CitewellError("InvalidRequest", `no resource is named, and ${why}`, { hint });
}

/** A request whose resource is known. */
export interface NamedRequest extends ReadRequest {
  resource: string;
  /** Line ranges that follow the path. */
  ranges?: readonly LineRange[];
}

/** What reading needs. */
export async function readContext(tenant: TenantServices): Promise<ReadContext> {
  const { places, resources, patience, threads } = tenant;
  return { known: await knownTo(tenant), places, resources, patience, threads };
}

/**
 * A resource as it is on disk; fetched only where nothing is there and no revision is wanted. With `revisions`, another
 * revision is also looked for in the history of the repository.
 * @throws ResourceNotFound, InvalidRequest, FileNotFound (not at that revision any more), and what opening throws
 */
export async function openOnDisk(
  { resource, revision, path = "" }: Pick<NamedRequest, "resource" | "revision"> & { path?: string },
  context: OnDiskContext & { revisions?: OpenedRevisions | undefined },
  { signal }: { signal: AbortSignal },
): Promise<Snapshot> {
  const target = targetOf(resource, context);
  const stored = await context.resources.openStored(target, { revision, signal });
  if (revision === undefined)
    return stored ?? context.resources.open(target, { signal, waitMs: context.patience.namedMs });
  if (stored !== undefined && isSameRevision(revision, stored.revision)) return stored;
  await using now = stored ?? (await openNow());
  const at = { revision: now?.revision, path, at: revision };
  const opened = await context.revisions?.open(target, at);
  if (opened?.type === "snapshot") return opened.snapshot;
  throw new CitewellError("FileNotFound", opened?.reason ?? `${resource} at ${revision} is not on disk any more`, {
    hint: "ask again, so that it is cited as it stands now, or open its permanent link",
  });

  /** The snapshot that history is read from. */
  async function openNow(): Promise<Snapshot | undefined> {
    if (target.type !== "git" || context.revisions === undefined) return undefined;
    const onDisk = await context.resources.openStored(target, { signal });
    return onDisk ?? context.resources.open(target, { signal, waitMs: context.patience.namedMs });
  }
}

/**
 * Converts the path of a request to a path of the snapshot: agents put the name of the resource before it and lines
 * after it, as searches show them.
 */
export function placeIn(snapshot: Snapshot, { path, ...request }: NamedRequest, places: Places): NamedRequest {
  const whole = pathIn(snapshot, path, places);
  if (snapshot.files.some((file) => file.path === whole)) return { ...request, path: whole };
  const prefix = `${request.resource}:`;
  const place = splitPlace(path.startsWith(prefix) ? path.slice(prefix.length) : path);
  const isGiven = [request.startLine, request.endLine, request.around].some((line) => line !== undefined);
  return { ...request, path: pathIn(snapshot, place.path, places), ranges: isGiven ? [] : place.ranges };
}

/** The path of a file as the snapshot names it: agents know files of a folder by where they are on disk. */
function pathIn(snapshot: Snapshot, path: string, { cwd }: Places): string {
  const { directory } = snapshot.info;
  if (directory === undefined || snapshot.pathOnDisk(path) !== undefined) return path;
  const relative = nodePath.relative(directory, nodePath.resolve(cwd, path)).split(nodePath.sep).join("/");
  return snapshot.pathOnDisk(relative) === undefined ? path : relative;
}

export function targetOf(resource: string, { known, places }: OnDiskContext): Target {
  const [target] = selectTargets([resource], known, places);
  if (target === undefined) throw new RangeError("a resource was asked for, and none was selected");
  return target;
}
