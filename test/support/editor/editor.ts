import { mkdir, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Browser, FrameLocator, Locator, Page } from "playwright-core";
import { parseFixture } from "../fixture.ts";
import { launchBrowser } from "./browser.ts";
import { type CodeServer, openWorkbench, startCodeServer } from "./code-server.ts";
import { packagedExtension } from "./packaged-extension.ts";
import { pick, runCommand } from "./quick-input.ts";

/** Workspace, configuration and environment of an editor. */
export interface EditorOptions {
  /** The workspace's files as a fixture string; default: an empty window. */
  workspace?: string;
  /** Its path in the temporary folder; `home/…` is shown as `~/…`. Default: `workspace`. */
  workspaceFolder?: string;
  /** The open folders, as relative paths or URIs; default: the workspace itself. */
  folders?: readonly string[];
  /** The global `citewell.config.jsonc`. */
  config?: object;
  /** Folders of other extensions to install. */
  extensions?: readonly string[];
  /** Additional environment variables for the extension and its server. */
  env?: Record<string, string>;
  /** User settings. */
  settings?: Record<string, unknown>;
  trusted?: boolean;
}

/** A VS Code window with the packaged extension installed. */
export interface Editor extends AsyncDisposable {
  page: Page;
  /** The document of the chat's webview. */
  chat: FrameLocator;
  server: CodeServer;
  /** The workspace's folder; "" for an empty window. */
  workspace: string;
  /** Shows our views and waits for the chat. */
  openChat(): Promise<void>;
  /** Runs a command by its title in the Command Palette: `Citewell: New Chat`. */
  runCommand(title: string): Promise<void>;
  /** Types `filter` into the open quick input until the `wanted` row (default: `filter`) is selected, then presses Enter. */
  pick(filter: string, row?: string | RegExp): Promise<void>;
  /**
   * Acts and waits for what it shows; once more after 20 s without an effect, as a person would. VS Code loses a click on a
   * row that it is drawing anew.
   */
  act(action: () => Promise<void>, shown: Locator): Promise<void>;
  /** Presses one of our keys the same way: an extension reports where the focus is, and a key before that does nothing. */
  pressKey(key: string, shown: Locator): Promise<void>;
  /** Switches the theme; resolves when it is applied. */
  setTheme(theme: Theme): Promise<void>;
  /** Reloads the window. */
  reload(): Promise<void>;
  /** Saves a screenshot as `<name>.png` in `SCREENSHOTS` and returns its path. */
  screenshot(name: string): Promise<string>;
  stop(): Promise<void>;
}

/** One built-in theme of each kind, by the body class of webviews, with its label and workbench class. */
export const themes = {
  "vscode-dark": { label: "Dark Modern", workbench: "vs-dark" },
  "vscode-light": { label: "Light Modern", workbench: "vs" },
  "vscode-high-contrast": { label: "Dark High Contrast", workbench: "hc-black" },
  "vscode-high-contrast-light": { label: "Light High Contrast", workbench: "hc-light" },
} as const;
/** A theme by the body class of webviews. */
export type Theme = keyof typeof themes;

/** Those of this file's tests (`second-try.ts`). */
export const openEditors = new Set<Editor>();

/** Starts an editor. Takes 10 to 20 s on two cores: start one per test file. */
export async function startEditor(options: EditorOptions = {}): Promise<Editor> {
  const { env, extensions, settings, trusted } = options;
  const server = await startCodeServer({ vsix: await packagedExtension(), extensions, env, settings, trusted });
  try {
    const editor = await openEditor(server, options);
    openEditors.add(editor);
    return editor;
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
}

async function openEditor(
  server: CodeServer,
  { workspace, workspaceFolder = "workspace", folders, config }: EditorOptions,
): Promise<Editor> {
  if (config !== undefined)
    await write(path.join(server.citewellHome, "citewell.config.jsonc"), JSON.stringify(config));
  const folder = workspace === undefined ? undefined : path.join(server.folder, workspaceFolder);
  if (folder !== undefined) {
    await mkdir(folder, { recursive: true });
    for (const [name, text] of parseFixture(workspace ?? "")) await write(path.join(folder, name), text);
  }
  const browser: Browser = await launchBrowser();
  try {
    const opened = folders === undefined ? folder : await writeWorkspaceFile(folders, folder ?? server.folder);
    const page = await openWorkbench(browser, server, { workspace: opened });
    return editorOf(page, { server, browser, workspace: folder ?? "" });
  } catch (error) {
    await browser.close();
    throw error;
  }
}

/** A window of several folders; undefined for an empty window. */
async function writeWorkspaceFile(folders: readonly string[], base: string): Promise<string | undefined> {
  if (folders.length === 0) return undefined;
  const file = `${base}.code-workspace`;
  const entries = folders.map((name) => (name.includes(":") ? { uri: name } : { path: path.join(base, name) }));
  await write(file, JSON.stringify({ folders: entries }));
  return file;
}

function editorOf(
  page: Page,
  { server, browser, workspace }: { server: CodeServer; browser: Browser; workspace: string },
): Editor {
  async function stop(): Promise<void> {
    openEditors.delete(editor);
    await browser.close();
    await server[Symbol.asyncDispose]();
  }
  async function act(action: () => Promise<void>, shown: Locator): Promise<void> {
    await action();
    try {
      await shown.first().waitFor({ timeout: 20_000 });
    } catch {
      await action();
      await shown.first().waitFor();
    }
  }
  const editor: Editor = {
    page,
    chat: webviewOf(page),
    server,
    workspace,
    async openChat() {
      // Clicking the tab of an open view, as after a reload, would close it.
      await page.getByRole("tab", { name: "Citewell" }).waitFor();
      // The frame loads some seconds after the view.
      await act(() => runCommand(page, "Citewell: Focus on Chat View"), webviewOf(page).locator("body"));
    },
    runCommand: (title) => runCommand(page, title),
    pick: (filter, row) => pick(page, filter, row),
    act,
    pressKey: (key, shown) => act(() => page.keyboard.press(key), shown),
    async setTheme(theme) {
      const { label, workbench } = themes[theme];
      await runCommand(page, "Preferences: Color Theme");
      await pick(page, label);
      await page.locator(`.monaco-workbench.${workbench}`).waitFor();
    },
    async reload() {
      await page.reload();
      await page.locator(".monaco-workbench").waitFor();
    },
    async screenshot(name) {
      const file = path.join(
        process.env["SCREENSHOTS"] ?? path.join(os.tmpdir(), "citewell-screenshots"),
        `${name}.png`,
      );
      await page.screenshot({ path: file });
      return file;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
  return editor;
}

/**
 * An extension's document is two frames deep: a frame of VS Code and, inside it, `#active-frame`. The outer frames of all
 * webviews are siblings at the end of the page, identified by their URL.
 */
function webviewOf(page: Page): FrameLocator {
  return (
    page
      // Its URL identifies it as a view only the first time it is shown.
      .frameLocator('iframe.webview.ready[src*="extensionId=citewell.citewell&"]')
      .frameLocator("iframe#active-frame")
  );
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
}
