import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { chatHtml } from "../../../extension/features/chat/html.ts";
import { type ChatState, FromWebview, type ToWebview } from "../../../extension/webview/messages.ts";
import { openContext } from "./browser.ts";
import type { Theme } from "./editor.ts";
import themes from "./themes.json" with { type: "json" };

/** The host's reply and the state of a page. */
export interface WebviewOptions {
  /** The host's reply to `ready`; default: none. */
  state?: ChatState;
  theme?: Theme;
  /** The view's width in CSS pixels: a side bar has about 300, at least 170. */
  width?: number;
  height?: number;
  /** The state that VS Code stored for the view (`getState`). */
  kept?: unknown;
  reducedMotion?: boolean;
  /** Translations by English sentence. */
  translations?: Record<string, string>;
}

/** The chat page in a browser, with a fake host instead of the extension. */
export interface WebviewPage extends AsyncDisposable {
  page: Page;
  /** All messages from the page, in order; reading fails on a message that violates the contract. */
  sent(): FromWebview[];
  /** Resolves with the next message of this type after the previous match. */
  nextSent<Type extends FromWebview["type"]>(type: Type): Promise<Extract<FromWebview, { type: Type }>>;
  post(message: ToWebview): Promise<void>;
  /** Shows the page in another theme, as VS Code does when the user changes it. */
  setTheme(theme: Theme): Promise<void>;
  /** Reloads the page with its stored state, as a window reload does. */
  reload(): Promise<void>;
}

const root = path.resolve(import.meta.dirname, "../../..");
/** No network: every request is answered here. */
const origin = "http://webview.test";
const types: Record<string, string> = {
  ".js": "text/javascript",
  ".css": "text/css",
  ".ttf": "font/ttf",
  ".woff2": "font/woff2",
  ".svg": "image/svg+xml",
};

/** Opens the built page with the same content security policy as in VS Code. Pages of one browser are isolated. */
export async function openWebview(browser: Browser, options: WebviewOptions = {}): Promise<WebviewPage> {
  const { theme = "vscode-dark", width = 360, height = 800, reducedMotion = true } = options;
  const context = await openContext(browser, {
    viewport: { width, height },
    reducedMotion: reducedMotion ? "reduce" : "no-preference",
  });
  const page = await context.newPage();
  const received: unknown[] = [];
  let looked = 0;
  const watchers = new Set<() => void>();

  const post = async (message: ToWebview) => {
    await page.evaluate(`window.postMessage(${JSON.stringify(message)}, "*")`);
  };
  await page.exposeFunction("sendToHost", async (message: unknown) => {
    received.push(message);
    for (const watcher of watchers) watcher();
    const isReady = FromWebview.safeParse(message).data?.type === "ready";
    if (isReady && options.state !== undefined) await post({ type: "state", state: options.state });
  });
  await page.addInitScript({ content: fakeHost(options.kept, theme) });
  await page.route("**", async (route) => {
    const { pathname, origin: asked } = new URL(route.request().url());
    if (asked !== origin) return route.abort();
    if (pathname === "/") return route.fulfill({ contentType: "text/html", body: pageOf(options.translations ?? {}) });
    const contentType = types[path.extname(pathname)] ?? "application/octet-stream";
    const body = await readFile(path.join(root, pathname)).catch(() => undefined);
    return body === undefined ? route.fulfill({ status: 404 }) : route.fulfill({ contentType, body });
  });
  await page.goto(`${origin}/`);

  return {
    page,
    sent: () => received.map((message) => FromWebview.parse(message)),
    nextSent: <Type extends FromWebview["type"]>(type: Type) =>
      new Promise<Extract<FromWebview, { type: Type }>>((resolve) => {
        const look = () => {
          for (; looked < received.length; looked++) {
            const message = FromWebview.parse(received[looked]);
            if (!isOfType(message, type)) continue;
            looked++;
            watchers.delete(look);
            return resolve(message);
          }
        };
        watchers.add(look);
        look();
      }),
    post,
    setTheme: async (theme) => void (await page.evaluate(applyTheme(theme))),
    reload: async () => void (await page.reload()),
    [Symbol.asyncDispose]: () => context.close(),
  };
}

function pageOf(translations: Record<string, string>): string {
  return chatHtml({
    nonce: "0123456789abcdef0123456789abcdef",
    cspSource: origin,
    scriptUri: `${origin}/dist/webview.js`,
    styleUri: `${origin}/dist/webview.css`,
    language: "en",
    title: "Citewell Chat",
    translations,
  });
}

/** VS Code's part of every webview: its message API and the theme. */
function fakeHost(kept: unknown, theme: Theme): string {
  return `
    window.acquireVsCodeApi = () => ({
      postMessage: (message) => void window.sendToHost(message),
      getState: () => JSON.parse(sessionStorage.getItem("kept") ?? ${JSON.stringify(JSON.stringify(kept ?? null))}) ?? undefined,
      setState: (state) => sessionStorage.setItem("kept", JSON.stringify(state)),
    });
    document.addEventListener("DOMContentLoaded", () => {
      ${applyTheme(theme)}
    });`;
}

/** The script that replaces the theme of a page. */
function applyTheme(theme: Theme): string {
  return `
    document.documentElement.removeAttribute("style");
    for (const [name, value] of Object.entries(${JSON.stringify(themes[theme])})) document.documentElement.style.setProperty(name, value);
    document.body.classList.remove(...${JSON.stringify(Object.keys(themes))});
    document.body.classList.add(${JSON.stringify(theme)});
    document.body.dataset.vscodeThemeKind = ${JSON.stringify(theme)};`;
}

function isOfType<Type extends FromWebview["type"]>(
  message: FromWebview,
  type: Type,
): message is Extract<FromWebview, { type: Type }> {
  return message.type === type;
}
