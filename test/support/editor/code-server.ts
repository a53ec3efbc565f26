import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { cliEnvironment } from "../cli.ts";
import { openContext } from "./browser.ts";
import { isKitComplete, kit, kitFolder } from "./kit.mjs";

/** Settings that disable prompts, animations and network access, and work beside what is tested. */
const quietSettings = {
  // Hides VS Code's own chat; `vscode.lm` and `vscode.chat` still work.
  "chat.disableAIFeatures": true,
  "editor.cursorBlinking": "solid",
  "editor.minimap.enabled": false,
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": "off",
  "extensions.ignoreRecommendations": true,
  "git.openRepositoryInParentFolders": "never",
  "npm.fetchOnlinePackageInfo": false,
  // It reads the list of all processes every other second.
  "remote.autoForwardPorts": false,
  "security.workspace.trust.banner": "never",
  "security.workspace.trust.startupPrompt": "never",
  "telemetry.telemetryLevel": "off",
  // One TypeScript server a window, and no npm of its own.
  "typescript.disableAutomaticTypeAcquisition": true,
  "typescript.tsserver.useSyntaxServer": "never",
  "update.showReleaseNotes": false,
  "workbench.colorTheme": "Dark Modern",
  "workbench.enableExperiments": false,
  // In milliseconds: never. The hover of a row covers the next one, so that a click there waits until the pointer leaves.
  "workbench.hover.delay": 600_000,
  "workbench.hover.reducedDelay": 600_000,
  "workbench.reduceMotion": "on",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
};

/** Extensions and environment of a server. */
export interface CodeServerOptions {
  /** A packaged extension to install first. */
  vsix?: string | undefined;
  /** Folders of other extensions to install. */
  extensions?: readonly string[] | undefined;
  env?: Record<string, string> | undefined;
  settings?: Record<string, unknown> | undefined;
  /** Whether to trust every workspace; false asks the user. */
  trusted?: boolean | undefined;
  /** Allows an extension under development and its tests in the page's URL. Also hides notifications. */
  forHostTests?: boolean;
}

/** A running VS Code server. */
export interface CodeServer extends AsyncDisposable {
  /** `127.0.0.1:<port>` */
  host: string;
  /** A temporary folder for all files of the server and the extension. */
  folder: string;
  /** `HOME` of the extension. */
  home: string;
  /** `CITEWELL_HOME` of the extension. */
  citewellHome: string;
  /** Settles when the server has exited for any reason. */
  exited: Promise<unknown>;
  /** The last log lines of the server and the extension host. */
  logTail(): Promise<string>;
}

/** Starts VS Code's server on a free loopback port with a temporary home. */
export async function startCodeServer(options: CodeServerOptions = {}): Promise<CodeServer> {
  if (!isKitComplete()) throw new Error(`there is no VS Code in ${kitFolder}: npm test installs it`);
  const folder = await mkdtemp(path.join(os.tmpdir(), "citewell-test-"));
  try {
    return await startIn(folder, options);
  } catch (error) {
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    throw error;
  }
}

async function startIn(folder: string, options: CodeServerOptions): Promise<CodeServer> {
  const { vsix, extensions = [], settings = {}, trusted = true, forHostTests = false } = options;
  const home = path.join(folder, "home");
  const temporary = path.join(folder, "tmp");
  const settingsFile = path.join(folder, "data", "User", "settings.json");
  for (const each of [home, temporary, path.dirname(settingsFile)]) await mkdir(each, { recursive: true });
  await writeFile(settingsFile, JSON.stringify({ ...quietSettings, ...settings }));

  const env = cliEnvironment(home, {
    TMPDIR: temporary,
    // Disable the marketplace.
    EXTENSIONS_GALLERY: JSON.stringify({ serviceUrl: "" }),
    ...options.env,
  });
  const places = {
    config: path.join(folder, "config.yaml"),
    "user-data-dir": path.join(folder, "data"),
    "extensions-dir": path.join(folder, "extensions"),
  };
  const common = [kit.codeServer, ...Object.entries(places).map(([name, place]) => `--${name}=${place}`)];
  // Copy before the first start, which registers existing folders as installed.
  for (const from of extensions)
    await cp(from, path.join(places["extensions-dir"], path.basename(from)), { recursive: true });
  if (vsix !== undefined) {
    await installOnce(places["extensions-dir"], () =>
      promisify(execFile)(kit.node, [...common, "--install-extension", vsix], { env }),
    );
  }

  const guard = path.join(import.meta.dirname, "guard.mjs");
  const flags = [
    "--bind-addr=127.0.0.1:0",
    "--auth=none",
    "--disable-telemetry",
    "--disable-update-check",
    "--disable-getting-started-override",
    ...(trusted ? ["--disable-workspace-trust"] : []),
    ...(forHostTests ? ["--vscode-option=enable-smoke-test-driver"] : []),
  ];
  const server = spawn(process.execPath, [guard, folder, kit.node, ...common, ...flags], {
    env,
    stdio: ["pipe", "pipe", "pipe"],
    // Use a separate process group, so that signals to ours do not interrupt its cleanup.
    detached: true,
  });
  const exited = once(server, "exit");
  const log: string[] = [];
  const host = await listening(server, log);
  return {
    host,
    folder,
    home,
    citewellHome: env["CITEWELL_HOME"] ?? "",
    exited,
    logTail: async () => [...log, ...(await extensionHostLog(path.join(folder, "data", "logs")))].slice(-40).join("\n"),
    async [Symbol.asyncDispose]() {
      server.stdin.end();
      await exited;
    },
  };
}

/**
 * Lets VS Code install the packaged extension, which takes it seconds; if a run of tests has a folder for it
 * (`packaged-extension.ts`), only once: the servers after the first get a copy.
 */
async function installOnce(extensions: string, install: () => Promise<unknown>): Promise<void> {
  const kept = process.env["CITEWELL_INSTALLED"];
  if (kept !== undefined && existsSync(kept)) return cp(kept, extensions, { recursive: true });
  await install();
  if (kept === undefined) return;
  const making = await mkdtemp(`${kept}-`);
  for (const name of await readdir(extensions)) {
    if (name.startsWith("citewell."))
      await cp(path.join(extensions, name), path.join(making, name), { recursive: true });
  }
  // Another test file may have been faster.
  await rename(making, kept).catch(() => rm(making, { recursive: true }));
}

/** Collects output in `log`. */
function listening(server: ChildProcess, log: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    for (const stream of [server.stdout, server.stderr]) {
      if (stream === null) continue;
      createInterface(stream).on("line", (line) => {
        // VS Code may log lines of minified code.
        log.push(line.slice(0, 300));
        const host = /HTTP server listening on http:\/\/([\d.]+:\d+)/.exec(line)?.[1];
        if (host !== undefined) resolve(host);
      });
    }
    server.once("error", reject);
    server.once("exit", () => reject(new Error(`code-server did not start:\n${log.join("\n")}`)));
  });
}

async function extensionHostLog(folder: string): Promise<string[]> {
  const files = await readdir(folder, { recursive: true }).catch(() => []);
  const wanted = files.filter((file) => /remoteexthost\.log$|Citewell.*\.log$/.test(file));
  const texts = await Promise.all(wanted.map((file) => readFile(path.join(folder, file), "utf8")));
  return texts.flatMap((text) => text.trimEnd().split("\n")).map((line) => line.slice(0, 300));
}

/** The window to open. */
export interface WorkbenchOptions {
  /** A folder or a `.code-workspace` file; default: an empty window. */
  workspace?: string | undefined;
  /** Key-value pairs such as `["extensionDevelopmentPath", remoteUri(…)]`. */
  payload?: readonly (readonly [string, string])[];
  /** Called with the page before it loads. */
  prepare?: (page: Page) => Promise<void>;
}

/** Opens a VS Code window in a new browser context and waits until it is rendered. */
export async function openWorkbench(
  browser: Browser,
  { host }: CodeServer,
  { workspace, payload = [], prepare }: WorkbenchOptions,
): Promise<Page> {
  const context = await openContext(browser, { viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  // Much of it runs in hooks, which have no second try.
  page.setDefaultTimeout(120_000);
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: `http://${host}` });
  await prepare?.(page);
  const address = new URL(`http://${host}/`);
  if (workspace === undefined) address.searchParams.set("ew", "true");
  else address.searchParams.set(workspace.endsWith(".code-workspace") ? "workspace" : "folder", workspace);
  const pairs = [["skipWelcome", "true"], ["skipReleaseNotes", "true"], ...payload];
  address.searchParams.set("payload", JSON.stringify(pairs));
  await page.goto(address.href);
  await page.locator(".monaco-workbench").waitFor();
  return page;
}

/** The URI of a local file in a window of this server. */
export function remoteUri({ host }: CodeServer, file: string): string {
  return `vscode-remote://${host}${encodeURI(file)}`;
}
