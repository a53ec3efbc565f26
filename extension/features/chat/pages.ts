import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import type { Citewell } from "../../context.ts";
import { FromWebview, type ToWebview } from "../../webview/messages.ts";
import { chatHtml } from "./html.ts";

/** A page of the chat: that of the view, or of an editor tab. All of them show the same conversation. */
export interface Page {
  /** Whether it is loaded, and waits for the state. */
  readonly isReady: boolean;
  /** The group in which what it asks for opens, so that it does not cover the page; undefined: the active one. */
  readonly column: vscode.ViewColumn | undefined;
  /** Gives it the state; the changes that `Pages.post` sends follow. */
  open(state: ToWebview): void;
  /** Dropped unless it has the state. */
  post(message: ToWebview): void;
}

/** The pages of the chat. Each is destroyed when hidden, and gets the whole state when it is shown again. */
export interface Pages extends vscode.Disposable {
  /** Whether a page has the state, so that changes can follow. */
  readonly isOpen: boolean;
  readonly isFocused: boolean;
  resolve(view: vscode.WebviewView): void;
  /** Shows the editor tab; there is one at most. */
  showInEditor(): void;
  /** Takes an editor tab over that the editor has restored. */
  adopt(panel: vscode.WebviewPanel): void;
  /** Shows the page that was used last, and puts the cursor into it. */
  focus(): Promise<void>;
  /** Dropped by pages that do not have the state. */
  post(message: ToWebview): void;
  /** Posts to the page that was used last; the message is kept until the page has the state. */
  postWhenOpen(message: ToWebview): void;
}

export type PageMessage = Exclude<FromWebview, { type: "ready" | "focus" }>;

export interface PageEvents {
  /** The page knows nothing yet, and is owed the state. */
  onReady(page: Page): void;
  onMessage(message: PageMessage, page: Page): void;
  /** The focus has come into a page, or left it, or a page was hidden. */
  onFocus(): void;
}

const editorTabType = "citewell.chatEditor";

/** What differs between a view and an editor tab. */
interface Place {
  webview: vscode.Webview;
  show(): PromiseLike<unknown>;
  isVisible(): boolean;
  onDidChange: vscode.Event<unknown>;
  onDidDispose: vscode.Event<unknown>;
  column(): vscode.ViewColumn | undefined;
}

interface OwnPage extends Page, vscode.Disposable {
  readonly isOpen: boolean;
  readonly isFocused: boolean;
  readonly isVisible: boolean;
  show(): PromiseLike<unknown>;
}

export function createPages({ extension, log }: Pick<Citewell, "extension" | "log">, events: PageEvents): Pages {
  const pages = new Set<OwnPage>();
  let last: OwnPage | undefined;
  let tab: { panel: vscode.WebviewPanel; page: OwnPage } | undefined;
  let waiting: ToWebview[] = [];

  /** The page that was used last, as long as it can be seen or none can. */
  function target(): OwnPage | undefined {
    return last?.isVisible === true ? last : ([...pages].find(({ isVisible }) => isVisible) ?? last);
  }

  function add(place: Place): OwnPage {
    const page = createPage(place, {
      log,
      onReady: () => events.onReady(page),
      onOpen() {
        if (page !== target()) return;
        const messages = waiting;
        waiting = [];
        messages.forEach((message) => page.post(message));
      },
      onMessage(message) {
        last = page;
        events.onMessage(message, page);
      },
      onFocus() {
        if (page.isFocused) last = page;
        events.onFocus();
      },
      onGone() {
        pages.delete(page);
        if (last === page) last = undefined;
        if (tab?.page === page) tab = undefined;
        events.onFocus();
      },
    });
    pages.add(page);
    last = page;
    const folders = ["dist", "media"].map((folder) => vscode.Uri.joinPath(extension.extensionUri, folder));
    place.webview.options = { enableScripts: true, enableCommandUris: false, localResourceRoots: folders };
    place.webview.html = pageOf(place.webview, extension.extensionUri);
    return page;
  }

  function adopt(panel: vscode.WebviewPanel): void {
    // A second one that was restored would be the same again.
    tab?.panel.dispose();
    const iconOf = (theme: string) => vscode.Uri.joinPath(extension.extensionUri, "media", "language", `${theme}.svg`);
    panel.iconPath = { dark: iconOf("dark"), light: iconOf("light") };
    tab = { panel, page: add(placeOfPanel(panel)) };
  }

  return {
    get isOpen() {
      return [...pages].some(({ isOpen }) => isOpen);
    },
    get isFocused() {
      return [...pages].some(({ isFocused }) => isFocused);
    },
    resolve: (view) => void add(placeOfView(view)),
    showInEditor() {
      if (tab !== undefined) return tab.panel.reveal();
      const title = vscode.l10n.t("Citewell Chat");
      adopt(vscode.window.createWebviewPanel(editorTabType, title, vscode.ViewColumn.Active));
    },
    adopt,
    async focus() {
      await (target()?.show() ?? showView());
    },
    post: (message) => pages.forEach((page) => page.post(message)),
    postWhenOpen(message) {
      const page = target();
      if (page?.isOpen === true) page.post(message);
      else waiting = [...waiting, message];
    },
    dispose: () => pages.forEach((page) => page.dispose()),
  };
}

function showView(): Thenable<unknown> {
  return vscode.commands.executeCommand("citewell.chat.focus");
}

function placeOfView(view: vscode.WebviewView): Place {
  return {
    webview: view.webview,
    show: showView,
    isVisible: () => view.visible,
    onDidChange: view.onDidChangeVisibility,
    onDidDispose: view.onDidDispose,
    column: () => undefined,
  };
}

function placeOfPanel(panel: vscode.WebviewPanel): Place {
  return {
    webview: panel.webview,
    show: async () => panel.reveal(),
    isVisible: () => panel.visible,
    onDidChange: panel.onDidChangeViewState,
    onDidDispose: panel.onDidDispose,
    column() {
      const other = vscode.window.tabGroups.all.find(({ viewColumn }) => viewColumn !== panel.viewColumn);
      return other?.viewColumn ?? vscode.ViewColumn.Beside;
    },
  };
}

interface OwnPageEvents extends Pick<Citewell, "log"> {
  onReady(): void;
  onOpen(): void;
  onMessage(message: PageMessage): void;
  onFocus(): void;
  onGone(): void;
}

function createPage(place: Place, events: OwnPageEvents): OwnPage {
  const { webview } = place;
  let isReady = false;
  let isOpen = false;
  let isFocused = false;

  function hide(): void {
    isReady = isOpen = isFocused = false;
    events.onFocus();
  }

  function receive(value: unknown): void {
    const { data: message, error } = FromWebview.safeParse(value);
    if (message === undefined) events.log.warn("chat-message-refused", error?.message);
    else if (message.type === "ready") {
      isReady = true;
      isOpen = false;
      events.onReady();
    } else if (message.type === "focus") {
      isFocused = message.isInView;
      events.onFocus();
    } else events.onMessage(message);
  }

  const subscriptions = [
    webview.onDidReceiveMessage(receive),
    place.onDidChange(() => place.isVisible() || hide()),
    place.onDidDispose(() => {
      subscriptions.forEach((subscription) => subscription.dispose());
      isReady = isOpen = isFocused = false;
      events.onGone();
    }),
  ];

  return {
    get isReady() {
      return isReady;
    },
    get isOpen() {
      return isOpen;
    },
    get isFocused() {
      return isFocused;
    },
    get isVisible() {
      return place.isVisible();
    },
    get column() {
      return place.column();
    },
    show: place.show,
    open(state) {
      if (!isReady) return;
      isOpen = true;
      void webview.postMessage(state);
      events.onOpen();
    },
    post(message) {
      if (isOpen) void webview.postMessage(message);
    },
    dispose: () => subscriptions.forEach((subscription) => subscription.dispose()),
  };
}

function pageOf(webview: vscode.Webview, extensionUri: vscode.Uri): string {
  const uriOf = (...path: string[]) => webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, ...path)).toString();
  return chatHtml({
    nonce: randomBytes(24).toString("base64url"),
    cspSource: webview.cspSource,
    scriptUri: uriOf("dist", "webview.js"),
    styleUri: uriOf("dist", "webview.css"),
    language: vscode.env.language,
    title: vscode.l10n.t("Citewell Chat"),
    translations: vscode.l10n.bundle ?? {},
  });
}
