import { Console } from "node:console";
import path from "node:path";
import { version } from "../../package.json";
import { type ConfigLocation, loadConfig } from "../../server/config/config.ts";
import { CitewellError, messageOf } from "../../server/errors.ts";
import type { App } from "../../server/app.ts";
import type { Log } from "../../server/lib/log.ts";
import { createLocalApp } from "../../server/local-app.ts";
import { configLanguageFeature } from "../../server/transports/lsp/config-language.ts";
import { ipcWires, openConnection, streamWires } from "../../server/transports/lsp/connection.ts";
import { createEditorModels } from "../../server/transports/lsp/editor-models.ts";
import { createFolderWatch } from "../../server/transports/lsp/folder-watch.ts";
import { clientLog } from "../../server/transports/lsp/log.ts";
import { serveLsp } from "../../server/transports/lsp/lsp.ts";
import type { EditorLimits } from "../../server/transports/lsp/settings.ts";
import type { CommonOptions } from "../definitions/global-options.ts";
import { openConfigLanguage } from "../config-language.ts";
import { configLocation } from "../app/open-app.ts";
import { announceServer } from "../app/server-file.ts";
import type { Terminal } from "../terminal.ts";
import { watchConfig } from "../app/watch-config.ts";

/** Options of `citewell lsp`. */
export interface LspCommandOptions extends CommonOptions {
  /** Use the channel of the process that forked this one; else standard input and output. */
  nodeIpc?: boolean;
  /** The port on which HTTP is served as well; 0 is off. */
  port: number;
}

/**
 * How long after the handshake the HTTP server is started, in milliseconds: the first question must not wait for it.
 */
const httpDelayMs = 1000;

/** Serves an editor until it is gone. */
export async function lsp({ nodeIpc, port }: LspCommandOptions, terminal: Terminal): Promise<number> {
  if (nodeIpc === true && process.send === undefined) {
    throw new CitewellError("InvalidUsage", "--node-ipc is for a process that was forked");
  }
  // Standard output belongs to the protocol; what a package has to say goes to the other stream.
  globalThis.console = new Console(terminal.stderr);
  const lspConnection = openConnection(
    nodeIpc === true ? ipcWires(process) : streamWires(terminal.stdin, terminal.stdout),
  );
  const log = clientLog(lspConnection.connection);
  let limits: EditorLimits = {};
  let folders: readonly string[] = [];
  const location: ConfigLocation = {
    ...configLocation(terminal),
    // In a window that is not trusted the editor starts us elsewhere: then no folder's configuration applies.
    get folders() {
      return folders.some((folder) => path.relative(folder, terminal.cwd) === "") ? folders : [];
    },
  };
  const options = {
    location,
    projects: async () => folders,
    log,
    overrides: () => limits,
    editorModels: createEditorModels(lspConnection.connection),
    watchFolder: createFolderWatch(lspConnection.connection, { log }),
  };
  // A window with several folders asks all of them, which a process in one of them would not.
  const soleFolder = () => (folders.length > 1 ? undefined : terminal.cwd);
  await using app = createLocalApp(options);
  await using http = startLater(() => serveHttpToo(app, { terminal, port, folder: soleFolder(), log }), {
    delayMs: httpDelayMs,
    log,
  });
  return await serveLsp(lspConnection, {
    app,
    version,
    log,
    features: [configLanguageFeature(openConfigLanguage(app, options), { log })],
    onLimits(next) {
      limits = next;
    },
    onFolders(open) {
      folders = open;
    },
    onInitialized: () => http.begin(),
    signal: terminal.signal,
  });
}

/** The same application for others on this computer (docs/contract.md, "Command line"). */
async function serveHttpToo(
  app: App,
  { terminal, port, folder, log }: { terminal: Terminal; port: number; folder: string | undefined; log: Log },
): Promise<AsyncDisposable> {
  const { serveHttp } = await import("../../server/transports/http/http.ts");
  const { dataDirectory } = await loadConfig(configLocation(terminal));
  const watchResources = watchConfig(configLocation(terminal));
  const server = await serveHttp({ app, version, port, log, watchResources });
  const { env } = terminal;
  const file = await announceServer(dataDirectory, { port: server.port, version, folder, env, log });
  log.info("http-listening", { port: server.port });
  return {
    async [Symbol.asyncDispose]() {
      await file[Symbol.asyncDispose]();
      await server.close();
    },
  };
}

/** Starts something in the background, some time after `begin`; a failure is only logged. */
function startLater(
  start: () => Promise<AsyncDisposable>,
  { delayMs, log }: { delayMs: number; log: Log },
): AsyncDisposable & { begin(): void } {
  let timer: NodeJS.Timeout | undefined;
  let started: Promise<AsyncDisposable | undefined> | undefined;
  return {
    begin() {
      timer ??= setTimeout(() => {
        started = start().catch((error: unknown) => {
          log.warn("http-not-started", { error: messageOf(error) });
          return undefined;
        });
      }, delayMs);
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      await (await started)?.[Symbol.asyncDispose]();
    },
  };
}
