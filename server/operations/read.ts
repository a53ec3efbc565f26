import nodePath from "node:path";
import { CitewellError } from "../errors.ts";
import { addLines } from "../lib/line-set.ts";
import { findDefinitions, linesAround } from "../source/definitions.ts";
import { maskLines } from "../source/mask.ts";
import { splitLines } from "../source/source-text.ts";
import { type Citation, isSameRevision, type LineRange } from "../protocol/citation.ts";
import { parseReference } from "../protocol/reference.ts";
import { type ReadRequest, type SourceFile, splitPlace } from "../protocol/source.ts";
import { permalinkOf } from "../resources/git/permalink.ts";
import type { Resources } from "../resources/resources.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import type { ThreadStore } from "../threads/threads.ts";
import type { Call, Context, TenantServices } from "./context.ts";
import { type KnownResources, knownTo } from "./known-resources.ts";
import type { Patience } from "./open.ts";
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

/**
 * Lines of a file for people: secrets masked, line ends as line feeds. Does not refresh the resource. At a
 * revision, a file that was kept for a citation comes first.
 * @throws FileNotFound, FileNotReadable, InvalidPath, InvalidRequest (lines that are none), and as `openOnDisk`
 */
export async function read(request: ReadRequest, { tenant }: Context, { signal }: Call): Promise<SourceFile> {
  const context = await readContext(tenant);
  const { path, revision, resource = impliedResource(context.known) } = request;
  const named = { ...request, resource };
  const kept = revision === undefined ? undefined : await findKept({ resource, path, revision }, context, { signal });
  if (kept !== undefined) return describe(kept, named);
  await using snapshot = await openOnDisk(named, context, { signal });
  const asked = placeIn(snapshot, named, context.places);
  return describe(await findInSnapshot(asked.path, snapshot, { signal }), asked);
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
 * A resource as it is on disk; fetched only where nothing is there and no revision is wanted.
 * @throws ResourceNotFound, InvalidRequest, FileNotFound (not at that revision any more), and what opening throws
 */
export async function openOnDisk(
  { resource, revision }: Pick<NamedRequest, "resource" | "revision">,
  context: OnDiskContext,
  { signal }: { signal: AbortSignal },
): Promise<Snapshot> {
  const target = targetOf(resource, context);
  const stored = await context.resources.openStored(target, { revision, signal });
  if (revision === undefined)
    return stored ?? context.resources.open(target, { signal, waitMs: context.patience.namedMs });
  if (stored !== undefined && isSameRevision(revision, stored.revision)) return stored;
  await stored?.[Symbol.asyncDispose]();
  throw new CitewellError("FileNotFound", `${resource} at ${revision} is not on disk any more`, {
    hint: "ask again, so that it is cited as it stands now, or open its permanent link",
  });
}

/** The text of a file, raw, and what else is known of it. */
interface FoundFile extends Pick<SourceFile, "path" | "revision" | "pathOnDisk" | "hasChanged"> {
  text: string;
  permalink: (lines: LineRange) => string | undefined;
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

async function findInSnapshot(
  path: string,
  snapshot: Snapshot,
  { signal }: { signal: AbortSignal },
): Promise<FoundFile> {
  const { text } = await snapshot.read(path, { signal });
  const pathOnDisk = snapshot.pathOnDisk(path);
  const lying = pathOnDisk === undefined ? {} : { pathOnDisk, hasChanged: false };
  return { text, path, revision: snapshot.revision, permalink: (lines) => snapshot.permalink(path, lines), ...lying };
}

/**
 * The file of a citation. Its resource may be gone, or the folder that it was: then there is the text, and that is all.
 */
async function findKept(
  { resource, path, revision }: Pick<Citation, "resource" | "path" | "revision">,
  context: ReadContext,
  { signal }: { signal: AbortSignal },
): Promise<FoundFile | undefined> {
  const text = await context.threads.findCited({ resource, path, revision });
  if (text === undefined) return undefined;
  const found = { text, path, revision, permalink: () => undefined };
  const isGone = parseReference(resource).type === "name" && !context.known.named.some(({ name }) => name === resource);
  if (isGone) return found;
  const target = targetOf(resource, context);
  if (target.type === "git") return { ...found, permalink: (lines) => permalinkOf(target.url, revision, path, lines) };
  await using snapshot = await context.resources.openStored(target, { signal }).catch(() => undefined);
  signal.throwIfAborted();
  if (snapshot?.info.directory === undefined) return found;
  const now = await snapshot.read(path, { signal }).catch(() => undefined);
  const pathOnDisk = snapshot.pathOnDisk(path);
  return { ...found, hasChanged: now?.text !== text, ...(pathOnDisk === undefined ? {} : { pathOnDisk }) };
}

export function targetOf(resource: string, { known, places }: OnDiskContext): Target {
  const [target] = selectTargets([resource], known, places);
  if (target === undefined) throw new RangeError("a resource was asked for, and none was selected");
  return target;
}

function describe({ text, permalink, ...found }: FoundFile, request: NamedRequest): SourceFile {
  const { resource, around, ranges: asked = [] } = request;
  const lines = splitLines(text);
  const totalLines = lines.length;
  const { definition, ...one } =
    around === undefined ? { ...request, definition: undefined } : linesOf(around, found.path, lines);
  const wanted = (asked.length > 0 ? asked : [one]).map((range) => rangeOf(range, totalLines));
  const ranges = wanted.reduce(addLines, []);
  const [first = { startLine: 1, endLine: totalLines }] = ranges;
  const whole = { startLine: first.startLine, endLine: ranges.at(-1)?.endLine ?? first.endLine };
  const isToTheEnd = whole.endLine === totalLines && text.endsWith("\n");
  const url = totalLines === 0 ? undefined : permalink(whole);
  return {
    resource,
    ...found,
    text: ranges.flatMap((range) => maskLines(lines, range)).join("\n") + (isToTheEnd ? "\n" : ""),
    ...whole,
    ...(ranges.length > 1 ? { ranges: [...ranges] } : {}),
    ...(definition === undefined ? {} : { definition }),
    totalLines,
    ...(url === undefined ? {} : { url }),
  };
}

/** The line itself where there is no such line, so that it is refused. */
function linesOf(
  around: number,
  path: string,
  lines: readonly string[],
): LineRange & { definition: string | undefined } {
  if (around > lines.length) return { startLine: around, endLine: around, definition: undefined };
  const definitions = findDefinitions(path, lines);
  const range = linesAround(around, definitions, longestDefinition);
  const whole = definitions.find((one) => one.startLine === range.startLine && one.endLine === range.endLine);
  return { ...range, definition: whole?.name };
}

/** The lines that are read of a longer definition. */
const longestDefinition = 400;

function rangeOf(
  { startLine = 1, endLine }: Pick<ReadRequest, "startLine" | "endLine">,
  totalLines: number,
): LineRange {
  if (endLine !== undefined && endLine < startLine) {
    throw new CitewellError("InvalidRequest", `endLine ${endLine} is before startLine ${startLine}`);
  }
  if (startLine > Math.max(1, totalLines)) {
    throw new CitewellError("InvalidRequest", `the file ends with line ${totalLines}; there is no line ${startLine}`, {
      hint: `ask for lines of 1 to ${totalLines}`,
    });
  }
  return { startLine, endLine: Math.min(endLine ?? totalLines, totalLines) };
}
