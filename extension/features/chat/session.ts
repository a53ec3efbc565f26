import { randomUUID } from "node:crypto";
import type * as vscode from "vscode";
import type { AskEvent, AskRequest } from "../../../server/protocol/ask.ts";
import type { Mentionable } from "../../../server/protocol/mentions.ts";
import type { Thread } from "../../../server/protocol/threads.ts";
import type { Citewell } from "../../context.ts";
import {
  type ChatTurn,
  type Conversation,
  emptyConversation,
  endTurn,
  fromThread,
  nameResources,
  type Outcome,
  receiveEvent,
  runningTurn,
  startTurn,
  turnsBefore,
  withoutThread,
} from "./conversation.ts";
import { errorBodyOf } from "./error-body.ts";
import { joinQuestion, targetsOf } from "./question.ts";
import { startTrace, type Trace, traceEvent } from "./trace.ts";

/** The conversation of this window, and the question that is being answered; it goes on whether anybody looks or not. */
export interface Session {
  readonly conversation: Conversation;
  /** Of the last question. */
  readonly trace: Trace | undefined;
  /** Adds a turn and has it answered. Only while none is running. */
  ask(question: string, options: AskOptions): void;
  /** The same in the place of a turn; those after it make room as well. */
  askAgain(turn: ChatTurn, question: string, options?: Pick<AskOptions, "resources">): void;
  stop(): void;
  /** Takes the conversation up again that the window showed last. Never rejects; reads the server once. */
  restore(): Promise<void>;
  show(conversation: Conversation): void;
}

interface AskOptions extends Pick<ChatTurn, "attachment"> {
  resources?: readonly string[] | undefined;
}

export interface SessionOptions extends Pick<Citewell, "selection"> {
  log: Pick<Citewell["log"], "warn">;
  /** @throws ServerError, like all of the server's operations */
  askServer(request: AskRequest, call: AskCall): Promise<unknown>;
  /** @throws ServerError (ThreadNotFound) */
  readThread(id: string): Promise<Thread>;
  /** Holds the id of the thread between windows. */
  memory: Pick<vscode.Memento, "get" | "update">;
  newCancellation(): Pick<vscode.CancellationTokenSource, "token" | "cancel">;
  /** What a question can mention. Never rejects. */
  mentionable(): Promise<Mentionable>;
  /** More than the running turn has changed. */
  onChange(): void;
  /** The running turn has got an event, which is folded in already. */
  onEvent(event: AskEvent): void;
  /** The server has kept what came of a question. */
  onSettled(): void;
}

interface AskCall {
  token: vscode.CancellationToken;
  onEvent(event: AskEvent): void;
}

const nothingMentionable: Mentionable = { names: [], exists: () => false };

const threadKey = "citewell.chat.thread";

interface Run {
  turn: string;
  cancellation: Pick<vscode.CancellationTokenSource, "token" | "cancel">;
  /** Settles when the server has let go of the question, and has kept what came of it. */
  settled: Promise<void>;
}

type Asked = Pick<ChatTurn, "id" | "question" | "askedAt" | "attachment"> & {
  given: readonly string[] | undefined;
  previous: readonly string[];
};

export function createSession(options: SessionOptions): Session {
  const { selection, log, memory, onChange } = options;
  let conversation = emptyConversation;
  let run: Run | undefined;
  let restoring: Promise<void> | undefined;
  let trace: Trace | undefined;

  const isRunning = (turn: string) => runningTurn(conversation)?.id === turn;

  function begin({ question, attachment, given }: Omit<Asked, "id" | "askedAt" | "previous">): void {
    const asked = { id: randomUUID(), question, attachment, askedAt: new Date().toISOString() };
    const previous = conversation.turns.at(-1)?.named ?? [];
    conversation = startTurn(conversation, asked);
    const cancellation = options.newCancellation();
    // The thread is read and written by one question at a time.
    const earlier = run?.settled ?? Promise.resolve();
    const settled = earlier.then(() => answer({ ...asked, given, previous }, cancellation.token));
    run = { turn: asked.id, cancellation, settled };
    onChange();
  }

  /** Never rejects: however it ends, the turn says so. */
  async function answer(asked: Asked, token: vscode.CancellationToken): Promise<void> {
    const { id } = asked;
    try {
      const request = await requestOf(asked);
      if (token.isCancellationRequested) return;
      const current = startTrace({ ...request, thread: conversation.thread?.id ?? "new" }, asked.askedAt);
      trace = current;
      await askInThread(request, {
        token,
        onEvent: (event) => {
          traceEvent(current, event);
          receive(id, event);
        },
      });
      end(id, { status: "done" });
    } catch (error) {
      const body = errorBodyOf(error);
      end(id, body.tag === "Cancelled" ? { status: "cancelled" } : { status: "failed", error: body });
    }
    options.onSettled();
  }

  async function requestOf({ id, question: text, attachment, given, previous }: Asked): Promise<AskRequest> {
    const mentionable = text.includes("@") ? await options.mentionable() : nothingMentionable;
    const { question, named, resources } = targetsOf(text, { mentionable, given, selected: selection.names, previous });
    if (isRunning(id)) conversation = nameResources(conversation, named);
    const request = { question: joinQuestion(question, attachment), progress: true };
    return resources.length === 0 ? request : { ...request, resources: [...resources] };
  }

  /** A thread that was removed meanwhile is no reason not to answer: the conversation goes on in a new one. */
  async function askInThread(request: AskRequest, call: AskCall): Promise<void> {
    const { thread: { id: thread } = {}, replacedSince: replacesSince } = conversation;
    try {
      const inPlace = replacesSince === undefined ? {} : { replacesSince };
      await options.askServer({ ...request, thread: thread ?? "new", ...inPlace }, call);
    } catch (error) {
      if (thread === undefined || errorBodyOf(error).tag !== "ThreadNotFound") throw error;
      conversation = withoutThread(conversation);
      await options.askServer({ ...request, thread: "new" }, call);
    }
  }

  /** What comes after Stop, or for a conversation that was left, is of no use. */
  function receive(turn: string, event: AskEvent): void {
    if (!isRunning(turn)) return;
    conversation = receiveEvent(conversation, event);
    if (event.type === "meta") remember();
    options.onEvent(event);
  }

  function end(turn: string, outcome: Outcome): void {
    if (!isRunning(turn)) return;
    conversation = endTurn(conversation, outcome);
    remember();
    onChange();
  }

  function stop(): void {
    if (run === undefined) return;
    run.cancellation.cancel();
    // At once for the person; the next question waits for the server.
    end(run.turn, { status: "cancelled" });
  }

  function remember(): void {
    void memory.update(threadKey, conversation.thread?.id);
  }

  async function restore(): Promise<void> {
    const id = memory.get<string>(threadKey);
    if (id === undefined) return;
    try {
      const thread = await options.readThread(id);
      if (conversation === emptyConversation) conversation = fromThread(thread);
    } catch (error) {
      log.warn("thread-not-restored", id, errorBodyOf(error).error);
      if (errorBodyOf(error).tag === "ThreadNotFound") void memory.update(threadKey, undefined);
    }
  }

  return {
    get conversation() {
      return conversation;
    },
    get trace() {
      return trace;
    },
    ask: (question, { attachment, resources }) => begin({ question, attachment, given: resources }),
    askAgain(turn, question, { resources = turn.named } = {}) {
      conversation = turnsBefore(conversation, turn.id);
      begin({ question, attachment: turn.attachment, given: resources });
    },
    stop,
    restore: () => (restoring ??= restore()),
    show(next) {
      stop();
      // What is shown was chosen: nothing older takes its place.
      restoring = Promise.resolve();
      conversation = next;
      remember();
      onChange();
    },
  };
}
