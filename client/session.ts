import type { AskEvent, AskRequest } from "../server/protocol/ask.ts";
import { type Attachment, joinQuestion } from "../server/protocol/attachment.ts";
import type { Mentionable } from "../server/protocol/mentions.ts";
import type { Thread } from "../server/protocol/threads.ts";
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

/**
 * One conversation and its running question, for the editor's chat and both terminals. It chooses the resources of a
 * question, asks, and folds the events into the conversation.
 *
 * It draws nothing and knows no view: views subscribe through `onChange`. It does not talk to a server either, but
 * through the `ask` it is given. The conversation itself is plain data (`conversation.ts`).
 */
export interface Session {
  readonly conversation: Conversation;
  /** Asks a new question. The promise never rejects, and resolves when the server has finished processing the question. */
  ask(question: string, options?: AskOptions): Promise<EndedTurn>;
  /** Replaces a turn and all later ones by asking it again, reworded or not. */
  askAgain(turn: Turn, question: string, options?: Pick<AskOptions, "resources">): Promise<EndedTurn>;
  /** Ends the running turn at once. The next question waits until the server has finished processing it. */
  stop(): void;
  /** Chooses the resources of the next question. */
  choose(resources: readonly string[]): void;
  /** Stops the answer and shows another conversation. */
  show(conversation: Conversation): void;
  /**
   * Shows a stored conversation and the turns after it that were not stored, unless something was asked or shown while it
   * was loaded.
   */
  restore(thread: Thread | undefined, unstored?: readonly Turn[]): void;
}

/** Optional parts of a question. */
export interface AskOptions {
  attachments?: readonly Attachment[] | undefined;
  /** Resources that a command passes; the question's @mentions are added. */
  resources?: readonly string[] | undefined;
}

/** A turn that has ended, with its error if it failed. */
export interface EndedTurn {
  turn: Turn;
  /** The thrown value, for clients that report its cause; the turn has only its description. */
  failure?: unknown;
}

/** What has just changed; `conversation` already includes it. */
export type Change =
  | { type: "started"; turn: Turn; replaces: string | undefined }
  | { type: "event"; event: AskEvent }
  | { type: "thread-deleted" }
  | { type: "ended"; outcome: Outcome }
  | { type: "shown" };

/** What a session needs from its client. */
export interface SessionOptions {
  /** Rejects with errors that `errorBodyOf` can read. A transport with backpressure awaits `onEvent`. */
  ask(
    request: AskRequest,
    call: { signal: AbortSignal; onEvent(event: AskEvent): void | Promise<void> },
  ): Promise<unknown>;
  /** What a question can mention; called for questions with an `@` only. If omitted, `@` is plain text. */
  mentionable?: () => Promise<Mentionable>;
  /** The resources that the user has ticked. */
  selected?: () => readonly string[];
  onChange(change: Change): void | Promise<void>;
}

interface Run {
  turn: Turn;
  request: Omit<AskOptions, "attachments"> & { askedBefore: readonly string[]; followUp: readonly string[] };
  signal: AbortSignal;
}

const nothingMentionable: Mentionable = { names: [], exists: () => false };

/** Creates a session with an empty conversation. */
export function createSession(options: SessionOptions): Session {
  const { ask, mentionable = async () => nothingMentionable, selected = () => [], onChange } = options;
  let conversation = emptyConversation;
  let controller = new AbortController();
  let lastAnswer: Promise<unknown> = Promise.resolve();
  let canRestore = true;

  const isRunning = ({ id }: Turn) => runningTurn(conversation)?.id === id;

  function begin(
    content: Pick<Turn, "question" | "attachments">,
    { replaces, ...request }: Omit<Run["request"], "followUp"> & { replaces: string | undefined },
  ): Promise<EndedTurn> {
    canRestore = false;
    if (replaces !== undefined) conversation = turnsBefore(conversation, replaces);
    const turn = newTurn({ ...content, id: crypto.randomUUID(), askedAt: new Date().toISOString() });
    const followUp = followUpTargets(conversation);
    conversation = startTurn(conversation, turn);
    controller = new AbortController();
    const { signal } = controller;
    // Queued: the server must not answer two questions of one thread at once.
    const ended = lastAnswer.then(() => answer({ turn, request: { ...request, followUp }, signal }));
    lastAnswer = ended;
    void onChange({ type: "started", turn, replaces });
    return ended;
  }

  async function answer(run: Run): Promise<EndedTurn> {
    try {
      const { request, named } = await readRun(run, {
        mentionable,
        selected: conversation.isElsewhere === true ? () => [] : selected,
      });
      if (isRunning(run.turn)) conversation = nameResources(conversation, named);
      if (!run.signal.aborted) await askInThread(request, run);
      return end(run.turn, { status: "done" });
    } catch (failure) {
      const error = errorBodyOf(failure);
      const isCancelled = error.tag === "Cancelled";
      return { ...end(run.turn, isCancelled ? { status: "cancelled" } : { status: "failed", error }), failure };
    }
  }

  /** If the thread was deleted since the last question, this question begins a new one. */
  async function askInThread(request: AskRequest, { turn, signal }: Run): Promise<void> {
    const { thread: { id: thread } = {}, replacedSince: replacesSince } = conversation;
    const call = { signal, onEvent: (event: AskEvent) => receive(turn, event) };
    try {
      const replacing = replacesSince === undefined ? {} : { replacesSince };
      await ask({ ...request, thread: thread ?? "new", ...replacing }, call);
    } catch (error) {
      if (thread === undefined || !isRunning(turn) || errorBodyOf(error).tag !== "ThreadNotFound") throw error;
      conversation = withoutThread(conversation);
      await onChange({ type: "thread-deleted" });
      await ask({ ...request, thread: "new" }, call);
    }
  }

  /** Events after the end of the turn are dropped. */
  function receive(turn: Turn, event: AskEvent): void | Promise<void> {
    if (!isRunning(turn)) return undefined;
    conversation = receiveEvent(conversation, event);
    return onChange({ type: "event", event });
  }

  function end(turn: Turn, outcome: Outcome): EndedTurn {
    if (isRunning(turn)) {
      conversation = endTurn(conversation, outcome);
      void onChange({ type: "ended", outcome });
    }
    return { turn: conversation.turns.find(({ id }) => id === turn.id) ?? { ...turn, ...outcome } };
  }

  function stop(): void {
    const turn = runningTurn(conversation);
    controller.abort();
    if (turn !== undefined) end(turn, { status: "cancelled" });
  }

  function show(next: Conversation): void {
    stop();
    canRestore = false;
    conversation = next;
    void onChange({ type: "shown" });
  }

  return {
    get conversation() {
      return conversation;
    },
    ask: (question, { attachments, resources } = {}) =>
      begin({ question, attachments }, { resources, askedBefore: [], replaces: undefined }),
    askAgain: (turn, question, { resources } = {}) =>
      begin({ question, attachments: turn.attachments }, { resources, askedBefore: turn.named, replaces: turn.id }),
    stop,
    choose(resources) {
      conversation = { ...conversation, chosen: resources };
    },
    show,
    restore(thread, unstored = []) {
      const { turns, ...stored } = thread === undefined ? emptyConversation : fromThread(thread);
      if (canRestore) show({ ...stored, turns: [...turns, ...unstored] });
    },
  };
}

/** Builds the request, without its thread. A follow-up question uses `named` again. */
async function readRun(
  { turn, request: { resources: passed = [], askedBefore, followUp } }: Run,
  { mentionable, selected }: Required<Pick<SessionOptions, "mentionable" | "selected">>,
): Promise<{ request: AskRequest; named: readonly string[] }> {
  const known = turn.question.includes("@") ? await mentionable() : nothingMentionable;
  const { question, mentioned } = readQuestion(turn.question, known);
  const explicit = [...passed, ...mentioned];
  const { named, resources } = targetsOf({
    named: explicit.length > 0 ? explicit : askedBefore,
    selected: selected(),
    previous: followUp,
  });
  const request = { question: joinQuestion(question, turn.attachments ?? []), progress: true };
  return { request: resources.length === 0 ? request : { ...request, resources: [...resources] }, named };
}
