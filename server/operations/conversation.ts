import { CitewellError, toCitewellError } from "../errors.ts";
import { contentHash } from "../lib/content-hash.ts";
import type { Log } from "../lib/log.ts";
import type { SourceText } from "../source/source-text.ts";
import { type AskEvent, emptyAnswer, foldAnswer, type ToolTrace } from "../protocol/ask.ts";
import { type Citation, isCommitCited, isProved } from "../protocol/citation.ts";
import { type CitedText, type ThreadTurn, turnsBefore } from "../protocol/threads.ts";
import type { Snapshot, SnapshotCommit } from "../resources/snapshot.ts";
import type { CitedFile } from "../threads/cited-files.ts";
import { newThreadId, type ThreadStore } from "../threads/threads.ts";
import { type EarlierTurn, historyOf } from "./history.ts";
import type { KnownResources } from "./known-resources.ts";
import { type Places, referencesTo, selectTargets, type Target } from "./targets.ts";
import type { OpenedRevisions } from "./revisions.ts";
import { placeOf, projectsOf, sourcesOf } from "./thread-place.ts";

/** The thread that a question belongs to. */
export interface Conversation {
  history: readonly EarlierTurn[];
  /** What the question is about. */
  targets: readonly Target[];
  /** Whether it must all open: the question, or the conversation of another project, names it. */
  areNamed: boolean;
  /**
   * Passes the events of an answer on, with the thread's id in the first and the last, and keeps what they add up to,
   * however the answer ends. The snapshots must stay open as long; `revisions` are those of commits that it cites.
   */
  keep(
    events: AsyncIterable<AskEvent>,
    snapshots: readonly Snapshot[],
    revisions?: OpenedRevisions,
  ): AsyncIterable<AskEvent>;
}

export interface ConversationOptions {
  /** An id, or `new`; without one nothing is kept. */
  thread: string | undefined;
  /** Turns asked then or later are replaced by this one, and the model does not see them. */
  replacesSince?: string | undefined;
  question: string;
  /** The names and references of the request. */
  requested: readonly string[];
  known: KnownResources;
  places: Places;
  threads: ThreadStore;
  log: Log;
}

/** @throws ThreadNotFound, ResourceNotFound, InvalidRequest (no name and no reference either) */
export async function openConversation(options: ConversationOptions): Promise<Conversation> {
  const { thread, replacesSince, requested, places } = options;
  const isFirst = thread === "new";
  const earlier = thread === undefined || isFirst ? [] : (await options.threads.read(thread)).turns;
  const place = placeOf(earlier, options.known);
  const { isHere, known, about } = place;
  const names = requested.length > 0 || isHere ? requested : about;
  const targets = selectOwn(names, { known, places, isHere });
  const shared = { targets, areNamed: names.length > 0 };
  if (thread === undefined) return { ...shared, history: [], keep: (events) => events };
  const id = isFirst ? newThreadId() : thread;
  const references = referencesTo(requested, known, places);
  const projects = projectsOf(earlier, place);
  const kept = { ...options, id, isFirst, targets, references, projects, askedAt: new Date().toISOString() };
  return {
    ...shared,
    history: historyOf(turnsBefore(earlier, replacesSince)),
    keep: (events, snapshots, revisions) => keepTurn(events, { ...kept, snapshots, revisions }),
  };
}

function selectOwn(
  names: readonly string[],
  { known, places, isHere }: Pick<ConversationOptions, "known" | "places"> & { isHere: boolean },
): readonly Target[] {
  try {
    return selectTargets(names, known, places);
  } catch (error) {
    if (isHere || !(error instanceof CitewellError) || error.tag !== "ResourceNotFound") throw error;
    const message = `this conversation is about ${names.join(", ")}, which is not known here`;
    const hint = "continue it in the folder where it began, or name what to ask about";
    throw new CitewellError("ResourceNotFound", message, { hint, cause: error });
  }
}

/** How much of a turn's reasoning is stored, in UTF-16 units. */
const reasoningLength = 20_000;

/** The output is by far the largest part of an answer, and what it proves is cited. */
function withoutOutput(trace: ToolTrace): ToolTrace {
  const { state } = trace;
  return state.status === "completed" ? { ...trace, state: { ...state, output: "" } } : trace;
}

interface KeepOptions extends ConversationOptions {
  id: string;
  isFirst: boolean;
  askedAt: string;
  targets: readonly Target[];
  /** See `ThreadTurn`. */
  references: readonly string[];
  projects: readonly string[];
  snapshots: readonly Snapshot[];
  revisions: OpenedRevisions | undefined;
}

async function* keepTurn(events: AsyncIterable<AskEvent>, options: KeepOptions): AsyncGenerator<AskEvent> {
  const { id: thread } = options;
  let answer = emptyAnswer;
  let ended: ThreadTurn["ended"] = "cancelled";
  const keep = () => {
    const { thread: _thread, reasoning, tools, ...reply } = answer;
    const steps = {
      ...(reasoning === "" ? {} : { reasoning: reasoning.slice(0, reasoningLength) }),
      ...(tools.length === 0 ? {} : { tools: tools.map(withoutOutput) }),
    };
    return storeTurn({ ...reply, ...steps, ...(ended === undefined ? {} : { ended }) }, options);
  };
  try {
    for await (const event of events) {
      answer = foldAnswer(answer, event);
      if (event.type === "done") {
        ended = undefined;
        const isKept = await keep();
        yield isKept ? { ...event, thread } : event;
      } else yield event.type === "meta" ? { ...event, thread } : event;
    }
  } catch (error) {
    if (toCitewellError(error).tag !== "Cancelled") ended = "failed";
    throw error;
  } finally {
    if (ended !== undefined) await keep();
  }
}

type NewTurn = Omit<ThreadTurn, "question" | "askedAt" | "references" | "sources" | "projects" | "cited">;

/** Whether it was stored. A full disk does not lose the answer; the failure is logged. */
async function storeTurn(reply: NewTurn, options: KeepOptions): Promise<boolean> {
  const { id, isFirst, replacesSince, question, askedAt, snapshots, revisions, threads, log } = options;
  try {
    const { cited, files } = await readCited(reply.citations, [...snapshots, ...(revisions?.snapshots() ?? [])]);
    const about = { references: [...options.references], projects: [...options.projects] };
    const turn = { ...reply, question, askedAt, ...about, sources: sourcesOf(options.targets, snapshots), cited };
    await threads.append(id, turn, { files, isFirst, replacesSince });
    return true;
  } catch (error) {
    log.error("thread-not-kept", { thread: id, reason: toCitewellError(error).message });
    return false;
  }
}

/** The texts behind the citations that point at real lines, and the files that hold them. */
async function readCited(
  citations: readonly Citation[],
  snapshots: readonly Snapshot[],
): Promise<{ cited: CitedText[]; files: CitedFile[] }> {
  const cited: CitedText[] = [];
  const files = new Map<string, CitedFile>();
  for (const citation of citations) {
    const source = await readSource(citation, snapshots);
    if (source === undefined) continue;
    const hash = contentHash(source.text);
    const text = isCommitCited(citation)
      ? source.text
      : source.lines.slice(citation.startLine - 1, citation.endLine).join("\n");
    cited.push({ citation: citation.id, file: hash, text: contentHash(text), length: text.length });
    files.set(hash, { hash, text: source.text });
  }
  return { cited, files: [...files.values()] };
}

/** Undefined where nothing is to be kept, or the file of a living folder has changed meanwhile. */
async function readSource(citation: Citation, snapshots: readonly Snapshot[]): Promise<CitedSource | undefined> {
  if (!isProved(citation) && citation.state !== "not-read") return undefined;
  const { resource, revision, path } = citation;
  const read = snapshots.filter((one) => one.resource === resource && one.revision === revision);
  // The snapshot of a repository may be at the commit that is cited.
  const commit = read.find((one) => one.commit !== undefined)?.commit;
  if (commit !== undefined && path === "") return messageOf(commit);
  // A commit may be open with its files, and without.
  return read
    .find(({ files }) => files.some((file) => file.path === path))
    ?.read(path)
    .catch(() => undefined);
}

type CitedSource = Pick<SourceText, "text" | "lines">;

function messageOf({ message }: SnapshotCommit): CitedSource {
  return { text: message, lines: message.split("\n") };
}
