import type { AskEvent, AskRequest } from "../server/protocol/ask.ts";
import type { Mentionable } from "../server/protocol/mentions.ts";
import type { Thread } from "../server/protocol/threads.ts";
import { type Attachment, joinQuestion } from "./attachment.ts";
import {
  type Conversation,
  emptyConversation,
  endTurn,
  followUpTargets,
  fromThread,
  nameResources,
  newTurn,
  type Outcome,
  receiveEvent,
  runningTurn,
  startTurn,
  type Turn,
  turnsBefore,
  withoutThread,
} from "./conversation.ts";
import { errorBodyOf } from "./error-body.ts";
import { readQuestion, targetsOf } from "./targets.ts";

/** One conversation and the question that is being answered. It neither prints nor knows a view; views follow its changes. */
export interface Session {
  readonly conversation: Conversation;
  /** Asks a new question. The promise never rejects, and resolves when the server has finished with the question. */
  ask(question: string, options?: AskOptions): Promise<Ended>;
  /** Asks in place of an earlier turn and those after it, in the same words or in others. */
  askAgain(turn: Turn, question: string, options?: Pick<AskOptions, "resources">): Promise<Ended>;
  /** Ends the running turn at once. The next question waits until the server has finished with it. */
  stop(): void;
  /** Chooses what the next question is about, without asking. */
  choose(resources: readonly string[]): void;
  /** Stops the answer and shows another conversation. */
  show(conversation: Conversation): void;
  /** Shows a stored conversation, unless something was asked or shown before it arrived. */
  restore(thread: Thread): void;
}

/** What goes with a question. */
export interface AskOptions {
  attachment?: Attachment | undefined;
  /** Named by a command; the question's mentions are added. */
  resources?: readonly string[] | undefined;
}

/** A turn that has ended, with its error if it failed. */
export interface Ended {
  turn: Turn;
  /** The error itself, for clients that report its cause. */
  failure?: unknown;
}

/** What has just changed in the conversation; it is folded in already. */
export type Change =
  | { type: "started"; turn: Turn; replaces: string | undefined }
  | { type: "event"; event: AskEvent }
  | { type: "thread-gone" }
  | { type: "ended"; outcome: Outcome }
  | { type: "shown" };

/** What a session needs of its client. */
export interface SessionOptions {
  /** Rejects with errors that `errorBodyOf` can read. Events are awaited by senders that can wait. */
  ask(
    request: AskRequest,
    call: { signal: AbortSignal; onEvent(event: AskEvent): void | Promise<void> },
  ): Promise<unknown>;
  /** What a question can mention; called for questions with an `@` only. Without it `@` has no meaning. */
  mentionable?: () => Promise<Mentionable>;
  /** The user's standing choice of resources. */
  selected?: () => readonly string[];
  onChange(change: Change): void | Promise<void>;
}

interface Run {
  turn: Turn;
  request: Omit<AskOptions, "attachment"> & { again: readonly string[]; previous: readonly string[] };
  signal: AbortSignal;
}

const nothingMentionable: Mentionable = { names: [], exists: () => false };

/** Creates a session with an empty conversation. */
export function createSession(options: SessionOptions): Session {
  const { ask, mentionable = async () => nothingMentionable, selected = () => [], onChange } = options;
  let conversation = emptyConversation;
  let stopping = new AbortController();
  let settled: Promise<unknown> = Promise.resolve();
  let isUntouched = true;

  const isRunning = ({ id }: Turn) => runningTurn(conversation)?.id === id;

  function begin(
    asked: Pick<Turn, "question" | "attachment">,
    { replaces, ...request }: Omit<Run["request"], "previous"> & { replaces: string | undefined },
  ): Promise<Ended> {
    isUntouched = false;
    if (replaces !== undefined) conversation = turnsBefore(conversation, replaces);
    const turn = newTurn({ ...asked, id: crypto.randomUUID(), askedAt: new Date().toISOString() });
    const previous = followUpTargets(conversation);
    conversation = startTurn(conversation, turn);
    stopping = new AbortController();
    const { signal } = stopping;
    // The server reads and writes a thread for one question at a time.
    const ended = settled.then(() => answer({ turn, request: { ...request, previous }, signal }));
    settled = ended;
    void onChange({ type: "started", turn, replaces });
    return ended;
  }

  async function answer(run: Run): Promise<Ended> {
    try {
      const { request, named } = await readRun(run, { mentionable, selected });
      if (isRunning(run.turn)) conversation = nameResources(conversation, named);
      if (!run.signal.aborted) await askInThread(request, run);
      return end(run.turn, { status: "done" });
    } catch (failure) {
      const error = errorBodyOf(failure);
      const isCancelled = error.tag === "Cancelled";
      return { ...end(run.turn, isCancelled ? { status: "cancelled" } : { status: "failed", error }), failure };
    }
  }

  /** If the thread was deleted meanwhile, the question begins a new one. */
  async function askInThread(request: AskRequest, { turn, signal }: Run): Promise<void> {
    const { thread: { id: thread } = {}, replacedSince: replacesSince } = conversation;
    const call = { signal, onEvent: (event: AskEvent) => receive(turn, event) };
    try {
      const replacing = replacesSince === undefined ? {} : { replacesSince };
      await ask({ ...request, thread: thread ?? "new", ...replacing }, call);
    } catch (error) {
      if (thread === undefined || !isRunning(turn) || errorBodyOf(error).tag !== "ThreadNotFound") throw error;
      conversation = withoutThread(conversation);
      await onChange({ type: "thread-gone" });
      await ask({ ...request, thread: "new" }, call);
    }
  }

  /** Events after the end of the turn are dropped. */
  function receive(turn: Turn, event: AskEvent): void | Promise<void> {
    if (!isRunning(turn)) return undefined;
    conversation = receiveEvent(conversation, event);
    return onChange({ type: "event", event });
  }

  function end(turn: Turn, outcome: Outcome): Ended {
    if (isRunning(turn)) {
      conversation = endTurn(conversation, outcome);
      void onChange({ type: "ended", outcome });
    }
    return { turn: conversation.turns.find(({ id }) => id === turn.id) ?? { ...turn, ...outcome } };
  }

  function stop(): void {
    const turn = runningTurn(conversation);
    stopping.abort();
    if (turn !== undefined) end(turn, { status: "cancelled" });
  }

  function show(next: Conversation): void {
    stop();
    isUntouched = false;
    conversation = next;
    void onChange({ type: "shown" });
  }

  return {
    get conversation() {
      return conversation;
    },
    ask: (question, { attachment, resources } = {}) =>
      begin({ question, attachment }, { resources, again: [], replaces: undefined }),
    askAgain: (turn, question, { resources } = {}) =>
      begin({ question, attachment: turn.attachment }, { resources, again: turn.named, replaces: turn.id }),
    stop,
    choose(resources) {
      conversation = { ...conversation, chosen: resources };
    },
    show,
    restore(thread) {
      if (isUntouched) show(fromThread(thread));
    },
  };
}

/** The request of a question, but for its thread, and what the next question continues from. */
async function readRun(
  { turn, request: { resources: given = [], again, previous } }: Run,
  { mentionable, selected }: Required<Pick<SessionOptions, "mentionable" | "selected">>,
): Promise<{ request: AskRequest; named: readonly string[] }> {
  const known = turn.question.includes("@") ? await mentionable() : nothingMentionable;
  const { question, mentioned } = readQuestion(turn.question, known);
  const explicit = [...given, ...mentioned];
  const { named, resources } = targetsOf({
    named: explicit.length > 0 ? explicit : again,
    selected: selected(),
    previous,
  });
  const request = { question: joinQuestion(question, turn.attachment), progress: true };
  return { request: resources.length === 0 ? request : { ...request, resources: [...resources] }, named };
}
