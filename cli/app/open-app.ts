import { version } from "../../package.json";
import type { App } from "../../server/app.ts";
import { createLocalApp } from "../../server/local-app.ts";
import { type ConfigLocation, loadConfig } from "../../server/config/config.ts";
import type { AppLookups } from "../../server/config/language/app-lookups.ts";
import { readNetworkSettings } from "../../server/config/environment.ts";
import { CitewellError } from "../../server/errors.ts";
import { createFetch } from "../../server/lib/fetch.ts";
import { defaultModelOf } from "../../server/providers/default-model.ts";
import { createLog, type Log, type LogFormat, type LogLevel } from "../../server/lib/log.ts";
import type { CommonOptions, ServerOptions } from "../definitions/global-options.ts";
import { askAboutProject } from "./ask-about-project.ts";
import type { RemoteApp } from "./remote-app.ts";
import { preferServer } from "./shared-server.ts";
import type { Terminal } from "../terminal.ts";

/**
 * What carries out a command: an application in this process, or a running server. Disposing of it ends only what is
 * in this process.
 *
 * A server elsewhere does less: it lists no conversations and completes nothing, so these members are then undefined.
 * `connectApp` chooses.
 */
export interface ConnectedApp extends RemoteApp, AsyncDisposable {
  /** The stored conversations; undefined for a server elsewhere, which does not list its own. */
  threads?: Pick<App, "listThreads" | "getThread" | "recheckThread" | "read">;
  /** Indexes the open project; undefined for a server elsewhere, which does so when it starts. */
  prepare?: App["prepare"];
  /** What completions look up; undefined for a server elsewhere. */
  lookups?: AppLookups;
}

/**
 * What carries out a command: the server that `--server` names, else an application in this process, which `--port`
 * makes a server as well. It lets a server that runs for the same folder ask and search, unless the command names a model
 * of its own.
 * @throws InvalidUsage, ProviderNotFound, ServerUnreachable, ServerFailed (the port is taken)
 */
export async function connectApp(
  terminal: Terminal,
  options: ServerOptions & { provider?: string; model?: string; isReadOnly?: boolean; followsFolders?: boolean },
): Promise<ConnectedApp> {
  const { server, port, provider, model, isReadOnly, followsFolders } = options;
  const isOwnModel = provider !== undefined || model !== undefined;
  if (server !== undefined) {
    if (port !== undefined && port !== 0)
      throw new CitewellError("InvalidUsage", "--port and --server cannot be used together");
    if (!isOwnModel) return connectRemote(server, terminal);
    throw new CitewellError(
      "InvalidUsage",
      "--provider and --model cannot be used with --server: the server uses its own model",
    );
  }
  const log = openLog(terminal, options);
  const chosen = model ?? (await modelOf(provider, terminal));
  const app = openApp(terminal, { log, provider, model: chosen, quiet: options.quiet, isReadOnly, followsFolders });
  const isServed = port !== undefined && port !== 0;
  const shared = isServed || isOwnModel ? {} : preferServer(terminal, { own: () => app, log });
  if (!isServed) return { ...app, ...shared, threads: app, lookups: app };
  const { serveHttp } = await import("../../server/transports/http/http.ts");
  const http = await serveHttp({ app, version, port, log });
  return {
    ...app,
    threads: app,
    lookups: app,
    async [Symbol.asyncDispose]() {
      await http.close();
      await app[Symbol.asyncDispose]();
    },
  };
}

/** The model of a provider that is named without one; undefined leaves what is configured. */
async function modelOf(provider: string | undefined, terminal: Terminal): Promise<string | undefined> {
  if (provider === undefined) return undefined;
  const config = await loadConfig(configLocation(terminal));
  return config.provider === provider ? undefined : defaultModelOf(provider);
}

/** The application, in this process, over the user's configuration. */
export function openApp(
  terminal: Terminal,
  {
    log,
    provider,
    model,
    quiet,
    isReadOnly,
    keepsOpened,
    followsFolders,
  }: {
    log: Log;
    provider?: string | undefined;
    model?: string | undefined;
    quiet?: boolean | undefined;
    isReadOnly?: boolean | undefined;
    keepsOpened?: boolean | undefined;
    followsFolders?: boolean | undefined;
  },
): App {
  return createLocalApp({
    location: configLocation(terminal),
    log,
    overrides: () => ({ provider, model }),
    isReadOnly,
    keepsOpened,
    followsFolders,
    onWarning: (warning) => quiet !== true && void terminal.stderr.write(`warning: ${warning}\n`),
  });
}

/** A log on standard error, at `usual` level unless the command line says otherwise. */
export function openLog(
  terminal: Terminal,
  { verbose, quiet }: Pick<CommonOptions, "verbose" | "quiet">,
  usual: LogLevel = "error",
  format: LogFormat = "text",
): Log {
  const level = verbose === true ? "debug" : quiet === true ? "silent" : usual;
  return createLog(level, (line) => terminal.stderr.write(line), format);
}

/** The part of the terminal that decides where configuration is. */
export function configLocation({ cwd, env, platform, homeDirectory }: Terminal): ConfigLocation {
  return { cwd, env, platform, homeDirectory };
}

async function connectRemote(server: string, terminal: Terminal): Promise<ConnectedApp> {
  const { connectToServer } = await import("./remote-app.ts");
  const fetch = createFetch(await readNetworkSettings(configLocation(terminal)));
  const handlers = await connectToServer(server, { fetch, signal: terminal.signal });
  return { ...askAboutProject(handlers, { url: server, terminal }), async [Symbol.asyncDispose]() {} };
}
