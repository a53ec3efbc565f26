import { type Answer, type AskEvent, emptyAnswer, foldAnswer } from "../../../server/protocol/ask.ts";
import type { ErrorBody } from "../../../server/protocol/error.ts";
import type { CitedText, Thread, ThreadTurn } from "../../../server/protocol/threads.ts";
import type { Attachment, Turn } from "../../webview/messages.ts";
import { splitQuestion } from "./question.ts";

/** The conversation that the chat shows. Every function below returns a new one. */
export interface Conversation {
  /** Where the server keeps it; undefined until the first answer begins. */
  thread: { id: string; title: string } | undefined;
  /** Turns of the kept thread that were asked then or later have made room here; they go when the next one is kept. */
  replacedSince: string | undefined;
  /** Oldest first; only the last can be running. */
  turns: readonly ChatTurn[];
}

/** A turn as the host knows it; the webview is shown less (`toTurn`). */
export interface ChatTurn {
  id: string;
  /** As it was typed. */
  question: string;
  attachment?: Attachment | undefined;
  askedAt: string;
  /** What the question named, in mentions or by a command; a question after it that names nothing is asked of the same. */
  named: readonly string[];
  answer: Answer;
  progress?: string | undefined;
  status: Turn["status"];
  error?: ErrorBody | undefined;
  /** Lines that the server keeps beside the thread. */
  cited?: readonly CitedText[] | undefined;
}

export type Outcome = { status: "done" | "cancelled" } | { status: "failed"; error: ErrorBody };

export const emptyConversation: Conversation = { thread: undefined, replacedSince: undefined, turns: [] };

/** As many as the server keeps of a thread. */
const turnLimit = 200;
/** Turns that keep what their tools put out; it is the larger part of an answer, and nobody reads it later. */
const toolOutputTurns = 20;

export function startTurn(
  conversation: Conversation,
  asked: Pick<ChatTurn, "id" | "question" | "attachment" | "askedAt">,
): Conversation {
  const turn: ChatTurn = { ...asked, named: [], answer: emptyAnswer, status: "running" };
  const earlier = conversation.turns.map((old, index) =>
    index === conversation.turns.length - toolOutputTurns ? withoutToolOutput(old) : old,
  );
  return { ...conversation, turns: [...earlier, turn].slice(-turnLimit) };
}

/** Writes down what the running question named. */
export function nameResources(conversation: Conversation, named: readonly string[]): Conversation {
  return changeRunning(conversation, (turn) => ({ ...turn, named }));
}

/** Folds an event into the running turn; without one nothing happens. */
export function receiveEvent(conversation: Conversation, event: AskEvent): Conversation {
  const running = runningTurn(conversation);
  if (running === undefined) return conversation;
  const next = changeRunning(conversation, (turn) => ({
    ...turn,
    answer: foldAnswer(turn.answer, event),
    progress: progressAfter(event, turn.progress),
  }));
  if (event.type === "meta" && event.thread !== undefined) {
    // A first question that is asked in other words gives the thread another title.
    const known = conversation.turns.length === 1 ? undefined : conversation.thread?.title;
    const title = known ?? titleOf(running.question);
    return { ...next, thread: { id: event.thread, title }, replacedSince: undefined };
  }
  // A first turn that could not be kept leaves no thread to go on with.
  const isUnkept = event.type === "done" && event.thread === undefined && conversation.turns.length === 1;
  return isUnkept ? { ...next, thread: undefined } : next;
}

export function endTurn(conversation: Conversation, outcome: Outcome): Conversation {
  return changeRunning(conversation, (turn) => ({ ...turn, ...outcome, progress: undefined }));
}

/** The conversation up to a turn, which makes room with those after it; the whole where there is no such turn. */
export function turnsBefore(conversation: Conversation, id: string): Conversation {
  const index = conversation.turns.findIndex((turn) => turn.id === id);
  if (index === -1) return conversation;
  const times = [conversation.replacedSince, conversation.turns[index]?.askedAt].filter((time) => time !== undefined);
  return { ...conversation, replacedSince: times.sort()[0], turns: conversation.turns.slice(0, index) };
}

/** For a thread that is gone: what is shown stays, and the next question begins a new one. */
export function withoutThread(conversation: Conversation): Conversation {
  return { ...conversation, thread: undefined, replacedSince: undefined };
}

/** A kept conversation; the tools and the reasoning of its answers were not kept. */
export function fromThread({ id, title, turns }: Thread): Conversation {
  return {
    thread: { id, title },
    replacedSince: undefined,
    turns: turns.map((turn, index) => fromThreadTurn(turn, `${id}-${index + 1}`)),
  };
}

export function runningTurn({ turns }: Conversation): ChatTurn | undefined {
  const last = turns.at(-1);
  return last?.status === "running" ? last : undefined;
}

/** What the webview is shown of a turn. */
export function toTurn({ id, question, attachment, answer, progress, status, error }: ChatTurn): Turn {
  return {
    id,
    question,
    answer,
    status,
    ...(attachment === undefined ? {} : { attachment: { label: attachment.label } }),
    ...(progress === undefined ? {} : { progress }),
    ...(error === undefined ? {} : { error }),
  };
}

/** `meta` comes when everything has arrived. */
function progressAfter(event: AskEvent, progress: string | undefined): string | undefined {
  if (event.type === "progress") return event.message;
  return event.type === "meta" ? undefined : progress;
}

function changeRunning(conversation: Conversation, change: (turn: ChatTurn) => ChatTurn): Conversation {
  const running = runningTurn(conversation);
  if (running === undefined) return conversation;
  return { ...conversation, turns: [...conversation.turns.slice(0, -1), change(running)] };
}

function fromThreadTurn(turn: ThreadTurn, id: string): ChatTurn {
  const { question, askedAt, references, ended, cited, ...answer } = turn;
  return {
    id,
    ...splitQuestion(question),
    askedAt,
    named: references,
    answer: { ...emptyAnswer, ...answer },
    status: ended ?? "done",
    cited,
  };
}

function withoutToolOutput(turn: ChatTurn): ChatTurn {
  const tools = turn.answer.tools.map((trace) =>
    trace.state.status === "completed" ? { ...trace, state: { ...trace.state, output: "" } } : trace,
  );
  return { ...turn, answer: { ...turn.answer, tools } };
}

/** As the server will call the thread, nearly; the list of threads has its own word. */
function titleOf(question: string): string {
  const line = question.replace(/\s+/g, " ").trim();
  return line.length <= 80 ? line : `${line.slice(0, 79).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
