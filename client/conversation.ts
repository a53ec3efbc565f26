import { type Answer, type AskEvent, type AskEventOf, emptyAnswer, foldAnswer } from "../server/protocol/ask.ts";
import type { ErrorBody } from "../server/protocol/error.ts";
import { type Attachment, splitQuestion } from "../server/protocol/attachment.ts";
import { threadTitle } from "../server/protocol/thread-title.ts";
import type { CitedText, Thread, ThreadTurn } from "../server/protocol/threads.ts";

/** A conversation as plain data. Every function below returns a new one. A remote view may hold `ShownTurn`s only. */
export interface Conversation<AnyTurn extends ShownTurn = Turn> {
  /** The server's thread that stores it; undefined until the first answer begins. */
  thread?: { id: string; title: string } | undefined;
  /** The next question replaces the thread's turns asked at this time or later. */
  replacedSince?: string | undefined;
  /**
   * Whether it belongs to another project: a question that names nothing is then about the resources of the
   * conversation.
   */
  isElsewhere?: boolean | undefined;
  /** Resources chosen without a question, for the next one. */
  chosen?: readonly string[] | undefined;
  /** Oldest first; only the last can be running. */
  turns: readonly AnyTurn[];
}

/** What every view shows of a question and its answer. */
export interface ShownTurn {
  id: string;
  /** The question as it was typed. */
  question: string;
  attachments?: readonly Pick<Attachment, "label">[] | undefined;
  answer: Answer;
  /** Progress of what the answer is waiting for, by resource. */
  arriving?: Readonly<Record<string, AskEventOf<"progress">>> | undefined;
  status: "running" | "done" | "cancelled" | "failed";
  error?: ErrorBody | undefined;
}

/** A question and its answer, as the client that asks keeps it. */
export interface Turn extends ShownTurn {
  attachments?: readonly Attachment[] | undefined;
  askedAt: string;
  /** What the question named, or continued from the one before it. */
  named: readonly string[];
  /** The cited lines that the server stores with the thread. */
  cited?: readonly CitedText[] | undefined;
}

/** How a turn ended. */
export type Outcome = { status: "done" | "cancelled" } | { status: "failed"; error: ErrorBody };

/** A conversation before its first question. */
export const emptyConversation: Conversation = { turns: [] };

/** The server stores as many turns of a thread. */
const turnLimit = 200;
/** The newest turns keep the output of their tools: it is the larger part of an answer, and seldom read later. */
const toolOutputTurns = 20;

/** A running turn without an answer yet. */
export function newTurn(asked: Pick<Turn, "id" | "question" | "attachments" | "askedAt">): Turn {
  return { ...asked, named: [], answer: emptyAnswer, status: "running" };
}

/** Adds a running turn. Old turns beyond the limit are dropped. */
export function startTurn<AnyTurn extends ShownTurn>(
  conversation: Conversation<AnyTurn>,
  turn: AnyTurn,
): Conversation<AnyTurn> {
  const earlier = conversation.turns.map((old, index) =>
    index === conversation.turns.length - toolOutputTurns ? withoutToolOutput(old) : old,
  );
  return { ...conversation, turns: [...earlier, turn].slice(-turnLimit) };
}

/** Records what the running question is about. */
export function nameResources(conversation: Conversation, named: readonly string[]): Conversation {
  return changeRunning(conversation, (turn) => ({ ...turn, named }));
}

/** Folds an event into the running turn; without a running turn nothing changes. */
export function receiveEvent<AnyTurn extends ShownTurn>(
  conversation: Conversation<AnyTurn>,
  event: AskEvent,
): Conversation<AnyTurn> {
  const running = runningTurn(conversation);
  if (running === undefined) return conversation;
  const next = changeRunning(conversation, (turn) => foldTurn(turn, event));
  if (event.type === "meta") {
    const opened = { ...next, chosen: undefined };
    if (event.thread === undefined) return opened;
    // A first question that is edited gives the thread another title.
    const known = conversation.turns.length === 1 ? undefined : conversation.thread?.title;
    const title = known ?? threadTitle(running.question);
    return { ...opened, thread: { id: event.thread, title }, replacedSince: undefined };
  }
  // A first turn that could not be stored leaves no thread to continue.
  const isUnkept = event.type === "done" && event.thread === undefined && conversation.turns.length === 1;
  return isUnkept ? { ...next, thread: undefined } : next;
}

/** Ends the running turn; without one nothing changes. */
export function endTurn<AnyTurn extends ShownTurn>(
  conversation: Conversation<AnyTurn>,
  outcome: Outcome,
): Conversation<AnyTurn> {
  return changeRunning(conversation, (turn) => ({ ...turn, ...outcome, arriving: undefined }));
}

/** The conversation without a turn and those after it; the whole conversation if there is no such turn. */
export function turnsBefore<AnyTurn extends ShownTurn & Partial<Pick<Turn, "askedAt">>>(
  conversation: Conversation<AnyTurn>,
  id: string,
): Conversation<AnyTurn> {
  const index = conversation.turns.findIndex((turn) => turn.id === id);
  if (index === -1) return conversation;
  const times = [conversation.replacedSince, conversation.turns[index]?.askedAt].filter((time) => time !== undefined);
  return { ...conversation, replacedSince: times.sort()[0], turns: conversation.turns.slice(0, index) };
}

/** After the thread was deleted elsewhere: the turns stay, and the next question begins a new thread. */
export function withoutThread<AnyTurn extends ShownTurn>(conversation: Conversation<AnyTurn>): Conversation<AnyTurn> {
  return { ...conversation, thread: undefined, isElsewhere: undefined, replacedSince: undefined };
}

/**
 * What a question that names nothing is about: what was chosen last, else what the last question named whose resources
 * could be opened. A misspelt name is so not asked again and again.
 */
export function followUpTargets({ chosen, turns }: Conversation): readonly string[] {
  return chosen ?? turns.findLast(({ answer }) => answer.resources.length > 0)?.named ?? [];
}

/** A stored conversation; the output of its tools is not stored. */
export function fromThread({ id, title, turns, isHere }: Thread): Conversation {
  const shown = turns.map((turn, index) => fromThreadTurn(turn, `${id}-${index + 1}`));
  return { thread: { id, title }, ...(isHere === false ? { isElsewhere: true } : {}), turns: shown };
}

/** The last turn, if it is still running. */
export function runningTurn<AnyTurn extends ShownTurn>({ turns }: Conversation<AnyTurn>): AnyTurn | undefined {
  const last = turns.at(-1);
  return last?.status === "running" ? last : undefined;
}

function foldTurn<AnyTurn extends ShownTurn>(turn: AnyTurn, event: AskEvent): AnyTurn {
  if (event.type === "progress") return { ...turn, arriving: { ...turn.arriving, [event.resource]: event } };
  return { ...turn, answer: foldAnswer(turn.answer, event), arriving: arrivingAfter(event, turn) };
}

/** `meta` comes when every resource is open; anything after it ends the wait for a retried call of the model. */
function arrivingAfter(event: AskEvent, { arriving }: ShownTurn): ShownTurn["arriving"] {
  if (event.type === "meta" || arriving === undefined) return undefined;
  const rest = Object.entries(arriving).filter(([, { retry }]) => retry === undefined);
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}

function changeRunning<AnyTurn extends ShownTurn>(
  conversation: Conversation<AnyTurn>,
  change: (turn: AnyTurn) => AnyTurn,
): Conversation<AnyTurn> {
  const running = runningTurn(conversation);
  if (running === undefined) return conversation;
  return { ...conversation, turns: [...conversation.turns.slice(0, -1), change(running)] };
}

function fromThreadTurn(turn: ThreadTurn, id: string): Turn {
  const { question, askedAt, references, sources: _sources, projects: _projects, ended, cited, ...stored } = turn;
  const { reasoning = "", tools = [], ...answer } = stored;
  return {
    id,
    ...splitQuestion(question),
    askedAt,
    named: references,
    answer: { ...emptyAnswer, ...answer, reasoning, tools },
    status: ended ?? "done",
    cited,
  };
}

function withoutToolOutput<AnyTurn extends ShownTurn>(turn: AnyTurn): AnyTurn {
  const tools = turn.answer.tools.map((trace) =>
    trace.state.status === "completed" ? { ...trace, state: { ...trace.state, output: "" } } : trace,
  );
  return { ...turn, answer: { ...turn.answer, tools } };
}
