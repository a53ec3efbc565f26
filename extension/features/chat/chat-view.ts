import * as vscode from "vscode";
import type * as messages from "../../webview/messages.ts";
import { type Conversation, runningTurn, type Turn } from "../../../client/conversation.ts";
import { createEventBuffer } from "../../../client/event-buffer.ts";
import type { Change, Session } from "../../../client/session.ts";
import type { Citewell } from "../../context.ts";
import { chosenNames } from "../resources/chosen.ts";
import { type Attachments, createAttachments } from "./attachments.ts";
import type { ServerFacts } from "./facts.ts";
import { createFollowUpQuestions, type FollowUpQuestions } from "./follow-ups.ts";
import { createPages, type Page, type PageEvents, type Pages } from "./pages.ts";
import { welcomeOf } from "./welcome.ts";

/** Keeps the chat's pages and the editor's context keys in step with the session. */
export interface ChatView extends Pick<
  Pages,
  "resolve" | "showInEditor" | "adopt" | "focus" | "post" | "postWhenOpen"
> {
  readonly isFocused: boolean;
  /** Go with the next question. */
  readonly attachments: Attachments;
  /** Whether answers come from a model that can be asked; the built-in extracts are none. */
  hasModel(): Promise<boolean>;
  follow(change: Change): void;
  dispose(): void;
}

export interface ChatViewOptions extends Pick<PageEvents, "onMessage"> {
  session: Session;
  knowledge: ServerFacts;
  /** Restores the last conversation, the first time that a page opens. */
  restore(): Promise<void>;
}

/** Creates the pages of the chat. */
export function createChatView(citewell: Citewell, options: ChatViewOptions): ChatView {
  const { knowledge, session, restore, onMessage } = options;
  const { server, changes, selection } = citewell;
  const contextKeys = createContextKeys();
  const attachments = createAttachments(postSetup);
  const followUps = createFollowUpQuestions(server);
  const pages = createPages(citewell, {
    onReady: (page) => void restore().then(() => open(page)),
    onMessage,
    onFocus: () => contextKeys.set("citewell.chatFocused", pages.isFocused),
  });
  const buffer = createEventBuffer((event) => pages.post({ type: "event", event }));
  const subscriptions = [
    pages,
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

  function open(page: Page): void {
    // The state contains the events that wait; the pages that are open get them first.
    buffer.flush();
    page.open(currentState());
    refresh();
    suggest();
    prepare();
  }

  /** Indexes the open projects, so that the first question finds them. A failure is the question's to report. */
  function prepare(): void {
    server.request("prepare", {}).then(
      ({ resources }) => resources.length > 0 && changes.fire("resources"),
      () => {},
    );
  }

  function refresh(): void {
    if (pages.isOpen) void knowledge.load().then(postSetup);
  }

  function suggest(): void {
    if (pages.isOpen) void followUps.load(session.conversation).then(postSetup);
  }

  function hasModel(): boolean {
    const { facts } = knowledge;
    return facts !== undefined && facts.isConnected && facts.model.provider !== "builtin";
  }

  function currentSetup(): messages.ChatSetup {
    return setupOf(citewell, { knowledge, attachments, followUps, conversation: session.conversation });
  }

  function currentState(): messages.ToWebview {
    return { type: "state", state: { ...toState(session.conversation), ...currentSetup() } };
  }

  function postSetup(): void {
    contextKeys.set("citewell.hasModel", hasModel());
    pages.post({ type: "setup", setup: currentSetup() });
  }

  function follow(change: Change): void {
    const { conversation } = session;
    contextKeys.set("citewell.isAnswering", runningTurn(conversation) !== undefined);
    contextKeys.set("citewell.hasAnswer", conversation.turns.length > 0);
    if (!pages.isOpen) return;
    if (change.type === "event") return buffer.push(change.event);
    if (change.type === "shown") {
      buffer.clear();
      pages.post(currentState());
    } else {
      buffer.flush();
      pages.post(toMessage(change));
      postSetup();
    }
    suggest();
  }

  return {
    get isFocused() {
      return pages.isFocused;
    },
    attachments,
    async hasModel() {
      await knowledge.load();
      return hasModel();
    },
    follow,
    resolve: pages.resolve,
    showInEditor: pages.showInEditor,
    adopt: pages.adopt,
    focus: pages.focus,
    post: pages.post,
    postWhenOpen: pages.postWhenOpen,
    dispose() {
      buffer.clear();
      subscriptions.forEach((subscription) => subscription.dispose());
    },
  };
}

function setupOf(
  { selection }: Citewell,
  given: {
    knowledge: ServerFacts;
    attachments: Attachments;
    followUps: FollowUpQuestions;
    conversation: Conversation;
  },
): messages.ChatSetup {
  const { conversation } = given;
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
    attachments: given.attachments.all.map(({ label, path }) => ({ label, path })),
    followUps: [...given.followUps.of(conversation)],
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

/** What the pages show of a turn. */
function toTurn({ id, question, attachments = [], answer, arriving, status, error }: Turn): messages.Turn {
  return {
    id,
    question,
    answer,
    status,
    ...(attachments.length === 0 ? {} : { attachments: attachments.map(({ label }) => ({ label })) }),
    ...(arriving === undefined ? {} : { arriving }),
    ...(error === undefined ? {} : { error }),
  };
}

/** Context keys for menus and keybindings; only changes are sent to the editor. */
function createContextKeys(): { set(key: `citewell.${string}`, value: boolean): void } {
  const known = new Map<string, boolean>();
  return {
    set(key, value) {
      if (known.get(key) === value) return;
      known.set(key, value);
      void vscode.commands.executeCommand("setContext", key, value);
    },
  };
}
