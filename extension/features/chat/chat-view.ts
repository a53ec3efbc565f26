import * as vscode from "vscode";
import type { Attachment } from "../../../client/attachment.ts";
import { type Conversation, runningTurn, type Turn } from "../../../client/conversation.ts";
import { createEventBuffer } from "../../../client/event-buffer.ts";
import type { Change, Session } from "../../../client/session.ts";
import type { Citewell } from "../../context.ts";
import type * as messages from "../../webview/messages.ts";
import { chosenNames } from "../resources/chosen.ts";
import { createContextKeys } from "./context-keys.ts";
import type { ServerFacts } from "./facts.ts";
import { createPanel, type Panel, type PanelEvents } from "./panel.ts";
import { welcomeOf } from "./welcome.ts";

/** Keeps the chat's page and the editor's context keys in step with the session. */
export interface ChatView extends Pick<Panel, "resolve" | "focus" | "post" | "postWhenReady">, vscode.Disposable {
  readonly isFocused: boolean;
  /** Goes with the next question. */
  readonly attachment: Attachment | undefined;
  attach(attachment: Attachment | undefined): void;
  /** Whether answers come from a model that can be asked; the built-in extracts are none. */
  hasModel(): Promise<boolean>;
  setFocused(isFocused: boolean): void;
  follow(change: Change): void;
}

export interface ChatViewOptions extends Pick<PanelEvents, "onMessage"> {
  session: Session;
  knowledge: ServerFacts;
  /** Restores the last conversation, the first time that a page opens. */
  restore(): Promise<void>;
}

/** Creates the webview of the chat. */
export function createChatView(citewell: Citewell, options: ChatViewOptions): ChatView {
  const { knowledge, session, restore, onMessage } = options;
  const { server, changes, selection } = citewell;
  const contextKeys = createContextKeys();
  let attachment: Attachment | undefined;
  let isFocused = false;
  /** Whether the page has the state, so that changes can follow. */
  let isOpen = false;
  const panel = createPanel(citewell, { onReady: () => void restore().then(open), onMessage, onHidden });
  const buffer = createEventBuffer((event) => panel.post({ type: "event", event }));
  const subscriptions = [
    panel,
    changes.onDidChangeResources(refresh),
    changes.onDidChangeModel(refresh),
    selection.onDidChange(postSetup),
    vscode.workspace.onDidGrantWorkspaceTrust(refresh),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("citewell")) postSetup();
    }),
    server.onDidChangeState((state) => {
      if (state === "failed" || (state === "running" && knowledge.failure !== undefined)) refresh();
    }),
  ];

  function open(): void {
    isOpen = panel.isReady;
    postState();
    refresh();
  }

  function onHidden(): void {
    isOpen = false;
    buffer.clear();
    setFocused(false);
  }

  function refresh(): void {
    if (isOpen) void knowledge.load().then(postSetup);
  }

  function hasModel(): boolean {
    const { facts } = knowledge;
    return facts !== undefined && facts.isConnected && facts.model.provider !== "builtin";
  }

  function currentSetup(): messages.ChatSetup {
    return setupOf(citewell, { knowledge, attachment, conversation: session.conversation });
  }

  function postSetup(): void {
    contextKeys.set("citewell.hasModel", hasModel());
    if (isOpen) panel.post({ type: "setup", setup: currentSetup() });
  }

  function postState(): void {
    // The state contains the events that wait.
    buffer.clear();
    panel.post({ type: "state", state: { ...toState(session.conversation), ...currentSetup() } });
  }

  function setFocused(isNow: boolean): void {
    isFocused = isNow;
    contextKeys.set("citewell.chatFocused", isNow);
  }

  function follow(change: Change): void {
    const { conversation } = session;
    contextKeys.set("citewell.isAnswering", runningTurn(conversation) !== undefined);
    contextKeys.set("citewell.hasAnswer", conversation.turns.length > 0);
    if (!isOpen) return;
    if (change.type === "event") return buffer.push(change.event);
    if (change.type === "shown") return postState();
    buffer.flush();
    panel.post(toMessage(change));
    postSetup();
  }

  return {
    get isFocused() {
      return isFocused;
    },
    get attachment() {
      return attachment;
    },
    attach(next) {
      attachment = next;
      postSetup();
    },
    async hasModel() {
      await knowledge.load();
      return hasModel();
    },
    setFocused,
    follow,
    resolve: panel.resolve,
    focus: panel.focus,
    post: panel.post,
    postWhenReady: panel.postWhenReady,
    dispose() {
      buffer.clear();
      subscriptions.forEach((subscription) => subscription.dispose());
    },
  };
}

function setupOf(
  { selection }: Citewell,
  given: { knowledge: ServerFacts; attachment: Attachment | undefined; conversation: Conversation },
): messages.ChatSetup {
  const { attachment, conversation } = given;
  const { turns, isElsewhere = false } = conversation;
  const { facts, failure } = given.knowledge;
  const settings = vscode.workspace.getConfiguration("citewell");
  const { isTrusted, workspaceFolders = [] } = vscode.workspace;
  const isVirtual = workspaceFolders.length > 0 && workspaceFolders.every(({ uri }) => uri.scheme !== "file");
  return {
    ...(facts === undefined ? {} : { model: facts.model }),
    resources: (facts?.resources ?? []).map(({ name, type, detail }) => ({ name, type, detail })),
    // A conversation of another project goes on with its own resources.
    selected: isElsewhere
      ? [...(turns.findLast(({ answer }) => answer.resources.length > 0)?.answer.resources ?? [])]
      : [...chosenNames(selection.names, facts?.resources ?? [])],
    ...(attachment === undefined ? {} : { attachment }),
    ...welcomeOf({ facts, failure, isTrusted, isVirtual, lastError: turns.at(-1)?.error }),
    settings: { showReasoning: settings.get("showReasoning", true), showTools: settings.get("showTools", true) },
  };
}

function toState({ thread, turns }: Conversation): Pick<messages.ChatState, "thread" | "turns"> {
  return { turns: turns.map(toTurn), ...(thread === undefined ? {} : { thread }) };
}

function toMessage(change: Exclude<Change, { type: "event" | "shown" }>): messages.ToWebview {
  if (change.type !== "started") return change;
  const { turn, replaces } = change;
  return { type: "started", turn: toTurn(turn), ...(replaces === undefined ? {} : { replaces }) };
}

/** What the page shows of a turn. */
function toTurn({ id, question, attachment, answer, arriving, status, error }: Turn): messages.Turn {
  return {
    id,
    question,
    answer,
    status,
    ...(attachment === undefined ? {} : { attachment: { label: attachment.label } }),
    ...(arriving === undefined ? {} : { arriving }),
    ...(error === undefined ? {} : { error }),
  };
}
