import { CitewellError } from "../errors.ts";
import { addLines } from "../lib/line-set.ts";
import { type Citation, type LineRange } from "../protocol/citation.ts";
import { showHistory } from "../protocol/git-history.ts";
import { parseReference } from "../protocol/reference.ts";
import type { ReadRequest, SourceFile } from "../protocol/source.ts";
import { commitLinkOf, permalinkOf } from "../resources/git/permalink.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import { findDefinitions, linesAround } from "../source/definitions.ts";
import { maskLines } from "../source/mask.ts";
import { splitLines } from "../source/source-text.ts";
import type { Call, Context } from "./context.ts";
import { historyIn, type HistoryServices } from "./git-history.ts";
import {
  impliedResource,
  type NamedRequest,
  openOnDisk,
  placeIn,
  readContext,
  type ReadContext,
  targetOf,
} from "./on-disk.ts";
import { createRevisions } from "./revisions.ts";

/**
 * Lines of a file for people: secrets masked, line ends as line feeds. Does not refresh the resource. At a
 * revision, a file that was kept for a citation comes first, and a snapshot on disk before the history of its repository.
 * With a commit and no path, the commit itself.
 * @throws FileNotFound, FileNotReadable, InvalidPath, InvalidRequest (lines that are none), and as `openOnDisk`
 */
export async function read(request: ReadRequest, { node, tenant }: Context, { signal }: Call): Promise<SourceFile> {
  const context = await readContext(tenant);
  const { path, revision, resource = impliedResource(context.known) } = request;
  const named = { ...request, resource };
  if (path === "") return readCommit(named, { ...context, retrieval: node.retrieval }, { signal });
  const kept = revision === undefined ? undefined : await findKept({ resource, path, revision }, context, { signal });
  if (kept !== undefined) return describe(kept, named);
  const { openHistory } = context.resources;
  await using revisions = createRevisions({ openHistory, waitMs: context.patience.namedMs, signal });
  await using snapshot = await openOnDisk(named, { ...context, revisions }, { signal });
  const asked = placeIn(snapshot, named, context.places);
  return describe(await findInSnapshot(asked.path, snapshot, { signal }), asked);
}

/** How many changed lines the document of a commit has at most. */
const commitLines = 2000;

/** What `history` reports of a commit, as a document; of one that is gone, the message that was kept of it. */
async function readCommit(
  request: NamedRequest,
  { retrieval, ...context }: ReadContext & Pick<HistoryServices, "retrieval">,
  { signal }: { signal: AbortSignal },
): Promise<SourceFile> {
  const { resource, revision: commit } = request;
  if (commit === undefined) throw new CitewellError("InvalidRequest", "path: a path must not be empty");
  const target = targetOf(resource, context);
  await using snapshot = await openOnDisk({ resource }, context, { signal });
  const { revision } = snapshot;
  const open: HistoryServices["open"] = async (below) =>
    context.resources.openHistory(target, { revision, below, signal, waitMs: context.patience.namedMs });
  const options = { limit: 1, diffLines: commitLines };
  const services = { open, retrieval, places: context.places, signal };
  const reply = await historyIn(snapshot, { ...options, resource, commit }, services).catch(async (error: unknown) => {
    signal.throwIfAborted();
    const kept = await findKept({ resource, path: "", revision: commit }, context, { signal });
    if (kept === undefined) throw error;
    return kept.text;
  });
  if (typeof reply === "string") return describe({ text: reply, path: "", revision: commit, permalink: none }, request);
  const [{ id } = { id: commit }] = reply.commits;
  const permalink = () => (target.type === "git" ? commitLinkOf(target.url, id) : undefined);
  return describe({ text: `${showHistory(reply)}\n`, path: "", revision: id, permalink }, request);
}

function none(): undefined {}

/** The text of a file, raw, and what else is known of it. */
interface FoundFile extends Pick<SourceFile, "path" | "revision" | "pathOnDisk" | "hasChanged"> {
  text: string;
  permalink: (lines: LineRange) => string | undefined;
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
