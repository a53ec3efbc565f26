import * as vscode from "vscode";
import type { Citation } from "../../../server/protocol/citation.ts";
import { mentionableAmong } from "../../../server/protocol/mentions.ts";
import { threadMarkdown } from "../../../server/protocol/thread-markdown.ts";
import type { Chat, Citations, Citewell } from "../../context.ts";
import type { Attachment, ChatState, FromWebview } from "../../webview/messages.ts";
import { chosenNames } from "../resources/chosen.ts";
import { createContextKeys } from "./context-keys.ts";
import {
  type ChatTurn,
  type Conversation,
  emptyConversation,
  fromThread,
  runningTurn,
  toTurn,
} from "./conversation.ts";
import { createEventBuffer } from "./event-buffer.ts";
import { conversationMarkdown } from "./export.ts";
import { createKnowledge } from "./facts.ts";
import { openLink } from "./links.ts";
import { createPanel } from "./panel.ts";
import { createPreviews } from "./previews.ts";
import { pathExists } from "./path-exists.ts";
import { createSession } from "./session.ts";
import { traceJson } from "./trace.ts";
import { welcomeOf } from "./welcome.ts";

/** The chat behind its view and its commands; `chat.ts` loads it when it is first needed. */
export interface ChatHost extends Chat, vscode.Disposable {
  resolve(view: vscode.WebviewView): void;
  newChat(): Promise<void>;
  /** Shows the view; `attachment` goes along with the next question. */
  attach(attachment: Attachment): Promise<void>;
  stop(): void;
  retry(): Promise<void>;
  move(to: Move): Promise<void>;
  /** Markdown; undefined without an answer. */
  lastAnswer(): string | undefined;
  /** Markdown; undefined without a turn. */
  conversationMarkdown(): Promise<string | undefined>;
  /** @throws ServerError (ThreadNotFound) */
  threadMarkdown(id: string): Promise<string>;
  /** JSON; undefined without a question. */
  lastTrace(): string | undefined;
  /** A thread is gone: a chat that shows it begins anew. */
  forget(thread: string): void;
}

export type Move = "next-citation" | "previous-citation" | "next-turn" | "previous-turn";
type Message = Exclude<FromWebview, { type: "ready" }>;

export interface ChatHostOptions {
  citations: Citations;
  /** Of the bundle that the errors come from. */
  showError(error: unknown): Promise<void>;
}

export function createChatHost(citewell: Citewell, { citations, showError }: ChatHostOptions): ChatHost {
  const { server, changes, selection } = citewell;
  let attachment: Attachment | undefined;
  let isFocused = false;
  const contextKeys = createContextKeys();
  const knowledge = createKnowledge(server);
  const previews = createPreviews(server);
  const panel = createPanel(citewell, {
    onReady: () => void session.restore().then(() => refresh()),
    onMessage: (message) => void handle(message).catch(showError),
    onHidden: () => setFocused(false),
  });
  const session = createSession({
    selection,
    log: citewell.log,
    askServer: (request, call) => server.request("ask", request, call),
    readThread: (id) => server.request("getThread", { id }),
    memory: citewell.extension.workspaceState,
    newCancellation: () => new vscode.CancellationTokenSource(),
    async mentionable() {
      if (knowledge.facts === undefined) await knowledge.load();
      return mentionableAmong(knowledge.facts?.resources ?? [], { exists: pathExists });
    },
    onChange: postState,
    onEvent(event) {
      if (panel.isReady) buffer.push(event);
    },
    onSettled: () => changes.fire("threads"),
  });
  const buffer = createEventBuffer((event) => {
    const turn = runningTurn(session.conversation);
    if (turn !== undefined) panel.post({ type: "event", turn: turn.id, event });
  });

  const subscriptions = [
    panel,
    changes.onDidChangeResources(refresh),
    changes.onDidChangeModel(refresh),
    selection.onDidChange(postState),
    vscode.workspace.onDidGrantWorkspaceTrust(refresh),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("citewell")) postState();
    }),
    server.onDidChangeState((state) => {
      if (state === "failed" || (state === "running" && knowledge.failure !== undefined)) refresh();
    }),
  ];

  function setFocused(isNow: boolean): void {
    isFocused = isNow;
    contextKeys.set("citewell.chatFocused", isNow);
  }

  /** At once with what is known, and again when the server has told. */
  function refresh(): void {
    if (!panel.isReady) return;
    postState();
    void knowledge.load().then(postState);
  }

  function postState(): void {
    // The state has all that was received: what waits is old.
    buffer.clear();
    contextKeys.set("citewell.isAnswering", runningTurn(session.conversation) !== undefined);
    contextKeys.set("citewell.hasAnswer", session.conversation.turns.length > 0);
    panel.post({ type: "state", state: currentState() });
  }

  function currentState(): ChatState {
    const settings = vscode.workspace.getConfiguration("citewell");
    const { thread, turns } = session.conversation;
    const { facts, failure } = knowledge;
    const { isTrusted, workspaceFolders = [] } = vscode.workspace;
    const isVirtual = workspaceFolders.length > 0 && workspaceFolders.every(({ uri }) => uri.scheme !== "file");
    return {
      ...(thread === undefined ? {} : { thread }),
      turns: turns.map(toTurn),
      ...(facts === undefined ? {} : { model: facts.model }),
      resources: (facts?.resources ?? []).map(({ name, kind, detail }) => ({ name, kind, detail })),
      selected: [...chosenNames(selection.names, facts?.resources ?? [])],
      ...(attachment === undefined ? {} : { attachment }),
      ...welcomeOf({ facts, failure, isTrusted, isVirtual, lastError: turns.at(-1)?.error }),
      settings: {
        showReasoning: settings.get("showReasoning", true),
        showTools: settings.get("showTools", true),
      },
    };
  }

  async function handle(message: Message): Promise<void> {
    switch (message.type) {
      case "ask":
        return askFromBox(message.question);
      case "stop":
        return session.stop();
      case "retry":
      case "edit": {
        const turn = findTurn(message.turn);
        if (turn !== undefined) await askAgain(turn, message.type === "edit" ? message.question : turn.question);
        return;
      }
      case "include": {
        const turn = findTurn(message.turn);
        if (turn === undefined) return;
        return askAgain(turn, turn.question, { resources: [...turn.answer.resources, message.reference] });
      }
      case "openCitation": {
        const citation = findCitation(message);
        if (citation !== undefined) await citations.open(citation, { toSide: message.toSide });
        return;
      }
      case "previewCitation":
        return preview(message);
      case "openLink":
        return openLink(message.url);
      case "copy": {
        const text = message.turn === undefined ? await markdown() : findTurn(message.turn)?.answer.text;
        return text === undefined ? undefined : vscode.env.clipboard.writeText(text);
      }
      case "copyText":
        return vscode.env.clipboard.writeText(message.text);
      case "export":
        return run("exportConversation");
      case "detach":
        attachment = undefined;
        return postState();
      case "run":
        return run(message.command);
      case "focus":
        return setFocused(message.isInView);
    }
  }

  async function askFromBox(question: string): Promise<void> {
    // What was typed is not lost.
    if (!(await makeWay())) return panel.post({ type: "compose", text: question });
    const attached = attachment;
    attachment = undefined;
    session.ask(question, { attachment: attached });
  }

  async function askAgain(
    turn: ChatTurn,
    question: string,
    options: { resources?: readonly string[] } = {},
  ): Promise<void> {
    if (!(await makeWay())) return;
    citations.clear();
    session.askAgain(turn, question, options);
  }

  /** The marked lines were of an answer that is no longer shown. */
  function show(conversation: Conversation): void {
    citations.clear();
    session.show(conversation);
  }

  /** Whether a question can be asked now; a running answer ends only with consent. */
  async function makeWay(): Promise<boolean> {
    if (runningTurn(session.conversation) === undefined) return true;
    const stopAndGoOn = vscode.l10n.t("Stop and Go On");
    const message = vscode.l10n.t("Citewell is still answering. Stop this answer?");
    const detail = vscode.l10n.t("What it has written so far is kept.");
    const chosen = await vscode.window.showWarningMessage(message, { modal: true, detail }, stopAndGoOn);
    if (chosen === stopAndGoOn) session.stop();
    return chosen === stopAndGoOn;
  }

  async function preview({ turn: id, citation: name }: Extract<Message, { type: "previewCitation" }>): Promise<void> {
    const citation = findCitation({ turn: id, citation: name });
    if (citation === undefined) return;
    const shown = await previews.of(citation, findTurn(id)?.cited ?? []);
    panel.post({ type: "preview", turn: id, citation: name, ...shown });
  }

  async function run(command: string): Promise<void> {
    const { thread } = session.conversation;
    const about = command === "recheckThread" && thread !== undefined ? [{ id: thread.id }] : [];
    await vscode.commands.executeCommand(`citewell.${command}`, ...about);
  }

  async function markdown(): Promise<string | undefined> {
    const { thread, turns } = session.conversation;
    if (turns.length === 0) return undefined;
    // The cited lines are kept with the thread; without them the export is poorer, but not wrong.
    const kept = thread && (await server.request("getThread", { id: thread.id }).catch(() => undefined));
    return conversationMarkdown(session.conversation, { kept, untitled: vscode.l10n.t("Conversation") });
  }

  async function compose(text?: string): Promise<void> {
    await panel.focus();
    panel.postWhenReady({ type: "compose", ...(text === undefined ? {} : { text }) });
  }

  function findTurn(id: string): ChatTurn | undefined {
    return session.conversation.turns.find((turn) => turn.id === id);
  }

  function findCitation({ turn, citation }: { turn: string; citation: string }): Citation | undefined {
    return findTurn(turn)?.answer.citations.find(({ id }) => id === citation);
  }

  return {
    resolve: panel.resolve,
    compose,
    stop: session.stop,
    async ask(question, { resources } = {}) {
      await panel.focus();
      await session.restore();
      if (await makeWay()) session.ask(question, { attachment: undefined, resources });
    },
    async resume(id) {
      const thread = await server.request("getThread", { id });
      if (!(await makeWay())) return;
      show(fromThread(thread));
      await compose();
    },
    async newChat() {
      if (!(await makeWay())) return;
      attachment = undefined;
      show(emptyConversation);
      await compose();
    },
    async attach(next) {
      attachment = next;
      postState();
      await compose();
    },
    async retry() {
      const last = session.conversation.turns.at(-1);
      if (last !== undefined) await askAgain(last, last.question);
    },
    async move(to) {
      // The view's own focus would let go of the key that comes next.
      if (!isFocused) await panel.focus();
      panel.post({ type: "move", to });
    },
    lastAnswer: () => session.conversation.turns.findLast(({ answer }) => answer.text !== "")?.answer.text,
    conversationMarkdown: markdown,
    threadMarkdown: async (id) => threadMarkdown(await server.request("getThread", { id })),
    lastTrace: () => session.trace && traceJson(session.trace),
    forget(id) {
      if (session.conversation.thread?.id === id) show(emptyConversation);
    },
    dispose() {
      session.stop();
      buffer.clear();
      subscriptions.forEach((subscription) => subscription.dispose());
    },
  };
}
