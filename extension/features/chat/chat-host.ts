import * as vscode from "vscode";
import { emptyConversation, fromThread } from "../../../client/conversation.ts";
import { createSession } from "../../../client/session.ts";
import type { Attachment } from "../../../server/protocol/attachment.ts";
import { threadMarkdown } from "../../../client/thread-markdown.ts";
import type { Chat, Citations, Citewell } from "../../context.ts";
import { createAskServer } from "./ask-server.ts";
import { readHistory } from "./attached-history.ts";
import { createChatActions } from "./chat-actions.ts";
import { createChatView } from "./chat-view.ts";
import { createServerFacts } from "./facts.ts";
import { createProjectFiles } from "./project-files.ts";
import { createPreviews } from "./previews.ts";
import { receiveMessage } from "./receive-message.ts";
import { createUnstoredTurns } from "./unstored-turns.ts";
import { createRememberedThread } from "./remembered-thread.ts";

/** The chat behind its view and its commands; `chat.ts` loads it when it is first needed. */
export interface ChatHost extends Chat, vscode.Disposable {
  resolve(view: vscode.WebviewView): void;
  /** Shows the chat in an editor tab. */
  showInEditor(): Promise<void>;
  /** Takes an editor tab over that the editor has restored. */
  adopt(panel: vscode.WebviewPanel): void;
  newChat(): Promise<void>;
  /** Shows the chat; `attachment` goes along with the next question. */
  attach(attachment: Attachment): Promise<void>;
  /** Shows the chat and asks why lines of a document are there, with their commits. */
  askWhy(document: vscode.TextDocument, lines: Attachment): Promise<void>;
  /** Whether the next question has these lines of that file already. */
  hasAttached(place: Pick<Attachment, "label" | "path">): boolean;
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

/** A step of keyboard navigation through the conversation. */
export type Move = "next-citation" | "previous-citation" | "next-turn" | "previous-turn";

export interface ChatHostOptions {
  citations: Citations;
  /** Passed in because its errors are those of the caller's bundle. */
  showError(error: unknown): Promise<void>;
}

/** Creates the part of the chat that runs in the extension: it keeps the conversation and talks to page and server. */
export function createChatHost(citewell: Citewell, { citations, showError }: ChatHostOptions): ChatHost {
  const { server, selection, log, extension } = citewell;
  const readThread = (id: string) => server.request("getThread", { id });
  const knowledge = createServerFacts(server);
  const askServer = createAskServer(server);
  const remembered = createRememberedThread({ memory: extension.workspaceState, readThread, log });
  const unstored = createUnstoredTurns(extension.workspaceState);
  let restoring: Promise<void> | undefined;
  const session = createSession({
    ask: askServer.ask,
    mentionable: () => knowledge.mentionable(),
    selected: () => selection.names,
    onChange(change) {
      if (change.type !== "event" || change.event.type === "meta") {
        remembered.remember(session.conversation.thread?.id);
        unstored.remember(session.conversation);
      }
      view.follow(change);
    },
  });
  const view = createChatView(citewell, {
    session,
    knowledge,
    restore,
    onMessage: (message, page) => void receiveMessage(message, { ...receivers, page }).catch(showError),
  });
  const actions = createChatActions(citewell, { session, citations });
  const receivers = {
    session,
    view,
    actions,
    citations,
    previews: createPreviews(server),
    files: createProjectFiles(server),
  };

  /** Reads the server once. A thread that cannot be read now stays for the next window. */
  function restore(): Promise<void> {
    return (restoring ??= restoreOnce());
  }

  async function restoreOnce(): Promise<void> {
    const thread = await remembered.read();
    const after = unstored.after(thread);
    const isShown = thread !== undefined || (remembered.id === undefined && after.length > 0);
    if (isShown) session.restore(thread, after);
  }

  async function compose(text?: string): Promise<void> {
    await view.focus();
    view.postWhenOpen({ type: "compose", ...(text === undefined ? {} : { text }) });
  }

  return {
    resolve: view.resolve,
    async showInEditor() {
      view.showInEditor();
      await compose();
    },
    adopt: view.adopt,
    compose,
    stop: session.stop,
    async ask(question, options = {}) {
      await view.focus();
      await restore();
      await actions.ask(question, options);
    },
    async askWhy(document, lines) {
      const commits = await readHistory(document, lines, server);
      await view.focus();
      await restore();
      const attachments = commits === undefined ? [lines] : [lines, commits];
      await actions.ask(vscode.l10n.t("Why is this here, and since when?"), { attachments });
    },
    async resume(id) {
      if (await actions.show(fromThread(await readThread(id)))) await compose();
    },
    async newChat() {
      if (!(await actions.show(emptyConversation))) return;
      view.attachments.clear();
      await compose();
    },
    async attach(attachment) {
      view.attachments.add(attachment);
      await compose();
    },
    hasAttached: ({ label, path }) => view.attachments.all.some((one) => one.path === path && one.label === label),
    async retry() {
      const last = session.conversation.turns.at(-1);
      if (last !== undefined) await actions.askAgain(last, last.question);
    },
    async move(to) {
      // Focusing the view again would move the focus inside it.
      if (!view.isFocused) await view.focus();
      view.post({ type: "move", to });
    },
    lastAnswer: () => session.conversation.turns.findLast(({ answer }) => answer.text !== "")?.answer.text,
    conversationMarkdown: actions.markdown,
    threadMarkdown: async (id) => threadMarkdown(await readThread(id)),
    lastTrace: askServer.lastTrace,
    forget(id) {
      if (session.conversation.thread?.id !== id) return;
      citations.clear();
      session.show(emptyConversation);
    },
    dispose() {
      session.stop();
      view.dispose();
    },
  };
}
