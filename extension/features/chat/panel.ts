import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import type { Citewell } from "../../context.ts";
import { FromWebview, type ToWebview } from "../../webview/messages.ts";
import { chatHtml } from "./html.ts";

/** The chat view, as the host sees it. It is destroyed when hidden, and gets the whole state when it opens again. */
export interface Panel extends vscode.Disposable {
  /** Whether someone can see what is posted. */
  readonly isReady: boolean;
  resolve(view: vscode.WebviewView): void;
  /** Shows the view, and puts the cursor into it. */
  focus(): Promise<void>;
  /** Dropped while the view is not ready. */
  post(message: ToWebview): void;
  /** Kept until the view is ready. */
  postWhenReady(message: ToWebview): void;
}

/** What the panel reports. */
export interface PanelEvents {
  /** The view knows nothing yet, and is owed the state. Messages that waited follow it. */
  onReady(): void;
  onMessage(message: Exclude<FromWebview, { type: "ready" }>): void;
  onHidden(): void;
}

/** Creates the panel that a webview is shown in. */
export function createPanel({ extension, log }: Pick<Citewell, "extension" | "log">, events: PanelEvents): Panel {
  let view: vscode.WebviewView | undefined;
  let isReady = false;
  let waiting: ToWebview[] = [];
  const subscriptions: vscode.Disposable[] = [];

  function hide(): void {
    isReady = false;
    events.onHidden();
  }

  function receive(value: unknown): void {
    const { data: message, error } = FromWebview.safeParse(value);
    if (message === undefined) log.warn("chat-message-refused", error?.message);
    else if (message.type === "ready") {
      isReady = true;
      events.onReady();
      const messages = waiting;
      waiting = [];
      messages.forEach(post);
    } else events.onMessage(message);
  }

  function post(message: ToWebview): void {
    if (!isReady || view === undefined) return;
    void view.webview.postMessage(message);
  }

  return {
    get isReady() {
      return isReady;
    },
    resolve(resolved) {
      subscriptions.splice(0).forEach((subscription) => subscription.dispose());
      view = resolved;
      isReady = false;
      const { webview } = resolved;
      subscriptions.push(
        webview.onDidReceiveMessage(receive),
        resolved.onDidChangeVisibility(() => resolved.visible || hide()),
        resolved.onDidDispose(() => {
          if (view !== resolved) return;
          view = undefined;
          hide();
        }),
      );
      const folders = ["dist", "media"].map((folder) => vscode.Uri.joinPath(extension.extensionUri, folder));
      webview.options = { enableScripts: true, enableCommandUris: false, localResourceRoots: folders };
      webview.html = pageOf(webview, extension.extensionUri);
    },
    async focus() {
      await vscode.commands.executeCommand("citewell.chat.focus");
    },
    post,
    postWhenReady(message) {
      if (isReady) post(message);
      else waiting = [...waiting, message];
    },
    dispose: () => subscriptions.splice(0).forEach((subscription) => subscription.dispose()),
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
