import path from "node:path";
import { CitewellError, toCitewellError } from "../errors.ts";
import { contentHash } from "../lib/content-hash.ts";
import type { Citation } from "../protocol/citation.ts";
import { isOneOff, parseReference } from "../protocol/reference.ts";
import type { Input } from "../protocol/operations.ts";
import type { CitedText, RecheckedCitation, ThreadRecheck, ThreadTurn } from "../protocol/threads.ts";
import { isInHistory } from "../resources/git/history/resolve-revision.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import type { Call, Context } from "./context.ts";
import { knownTo } from "./known-resources.ts";
import { type OnDiskContext, targetOf } from "./on-disk.ts";
import { selectTargets } from "./targets.ts";
import { placeOf } from "./thread-place.ts";

/** The state of each cited text of a thread in the current revision of its resource. Asks no model. */
export async function recheckThread(
  request: Input<"recheckThread">,
  { tenant }: Context,
  { signal }: Call,
): Promise<ThreadRecheck> {
  const { id, title, turns } = await tenant.threads.read(request.id);
  const { known } = placeOf(turns, await knownTo(tenant));
  const { places, resources, patience } = tenant;
  const context = { known, places, resources, patience };
  const opened = new Map<string, Promise<Snapshot | CitewellError>>();
  const openOnce = (reference: string) => {
    const opening = opened.get(reference) ?? open(reference, context, { signal });
    opened.set(reference, opening);
    return opening;
  };
  try {
    const citations: RecheckedCitation[] = [];
    for (const [index, turn] of turns.entries()) {
      for (const cited of turn.cited) {
        const citation = turn.citations.find((candidate) => candidate.id === cited.citation);
        if (citation === undefined) continue;
        const reference = referenceTo(citation.resource, turn);
        const snapshot = await openOnce(reference);
        const verdict =
          citation.commit === undefined || snapshot instanceof CitewellError
            ? await compare({ citation, cited }, snapshot, { signal })
            : await findCommit(citation, { snapshot, reference, context, signal });
        citations.push({ turn: index + 1, citation, ...verdict });
      }
    }
    return { id, title, citations };
  } finally {
    const results = await Promise.all(opened.values());
    const snapshots = results.filter((result) => "read" in result);
    await Promise.all(snapshots.map((snapshot) => snapshot[Symbol.asyncDispose]()));
  }
}

/** The reference that opens the resource again: as it was written, since a page's URL may name a branch. */
function referenceTo(resource: string, { references }: ThreadTurn): string {
  const page = references.find((text) => {
    const reference = parseReference(text);
    return isOneOff(reference) && reference.canonical === resource;
  });
  return page ?? resource;
}

async function open(
  reference: string,
  { known, places, resources, patience }: OnDiskContext,
  { signal }: { signal: AbortSignal },
): Promise<Snapshot | CitewellError> {
  try {
    const [target] = selectTargets([reference], known, places);
    if (target === undefined) return new CitewellError("ResourceNotFound", `no resource named ${reference}`);
    return await resources.open(target, { signal, waitMs: patience.namedMs });
  } catch (error) {
    return toCitewellError(error);
  }
}

type Verdict = Pick<RecheckedCitation, "state" | "reason" | "now" | "revision">;
interface Cited {
  citation: Citation;
  cited: CitedText;
}

async function compare(
  { citation, cited }: Cited,
  snapshot: Snapshot | CitewellError,
  { signal }: { signal: AbortSignal },
): Promise<Verdict> {
  signal.throwIfAborted();
  if (snapshot instanceof CitewellError) return { state: "unknown", reason: snapshot.message };
  const { revision } = snapshot;
  try {
    const isThere = [...snapshot.files, ...snapshot.skipped].some((file) => file.path === citation.path);
    const candidates = isThere ? [citation.path] : namesakes(citation.path, snapshot);
    for (const file of candidates) {
      const { lines } = await snapshot.read(file, { signal });
      const place = findText({ citation, cited }, lines);
      if (place === undefined) continue;
      const isSame = isThere && place.startLine === citation.startLine;
      return { state: isSame ? "unchanged" : "moved", now: { path: file, ...place }, revision };
    }
    return { state: isThere ? "changed" : "gone", revision };
  } catch (error) {
    signal.throwIfAborted();
    return { state: "unknown", reason: toCitewellError(error).message, revision };
  }
}

/** What is cited at a commit never changes; the commit may be gone. */
async function findCommit(
  { revision: commit, path: file, commit: { id } = { id: commit } }: Citation,
  {
    snapshot: { revision },
    reference,
    context,
    signal,
  }: { snapshot: Snapshot; reference: string; context: OnDiskContext; signal: AbortSignal },
): Promise<Verdict> {
  signal.throwIfAborted();
  const below = file === "" ? undefined : file;
  const options = { revision, below, signal, waitMs: context.patience.namedMs };
  try {
    await using repository = await context.resources.openHistory(targetOf(reference, context), options);
    if (repository === undefined) return { state: "unknown", reason: "its history is not read here" };
    if (await isInHistory(repository, commit, { signal })) return { state: "unchanged", revision: commit };
    const [note] = repository.notes;
    if (note !== undefined) return { state: "unknown", reason: note };
    const reason = `rewritten: no branch or tag has commit ${id} any more`;
    return { state: "gone", reason, revision: repository.revision };
  } catch (error) {
    signal.throwIfAborted();
    return { state: "unknown", reason: toCitewellError(error).message };
  }
}

/** How many files of the name of one that is gone are looked through: an `index.ts` has hundreds. */
const namesakeLimit = 20;

function namesakes(gone: string, { files }: Snapshot): string[] {
  const name = path.posix.basename(gone);
  const named = files.filter((file) => path.posix.basename(file.path) === name);
  return named.slice(0, namesakeLimit).map((file) => file.path);
}

/** The nearest place of the cited lines. Hashes are taken only where the length fits. */
function findText(
  { citation, cited }: Cited,
  lines: readonly string[],
): { startLine: number; endLine: number } | undefined {
  const { startLine, endLine } = citation;
  const count = endLine - startLine + 1;
  const offsets = [0];
  for (const [index, line] of lines.entries()) offsets.push((offsets[index] ?? 0) + line.length + 1);
  const starts = lines
    .map((_, index) => index)
    .filter((index) => {
      const end = offsets[index + count];
      return end !== undefined && end - (offsets[index] ?? 0) - 1 === cited.length;
    });
  const nearestFirst = starts.toSorted((a, b) => Math.abs(a + 1 - startLine) - Math.abs(b + 1 - startLine));
  const found = nearestFirst.find((start) => contentHash(lines.slice(start, start + count).join("\n")) === cited.text);
  return found === undefined ? undefined : { startLine: found + 1, endLine: found + count };
}
