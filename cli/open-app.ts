import { type App, createLocalApp } from "../server/app.ts";
import type { ConfigLocation } from "../server/config/config.ts";
import { createLog, type Log, type LogLevel } from "../server/lib/log.ts";
import type { Terminal } from "./terminal.ts";

export interface LogOptions {
  verbose?: boolean;
  quiet?: boolean;
}

/** The application, in this process, over the user's configuration. */
export function openApp(
  terminal: Terminal,
  { log, provider, model }: { log: Log; provider?: string | undefined; model?: string | undefined },
): App {
  return createLocalApp({
    location: configLocation(terminal),
    log,
    overrides: { ...(provider === undefined ? {} : { provider }), ...(model === undefined ? {} : { model }) },
  });
}

/** A log on standard error, at `usual` level unless the command line says otherwise. */
export function openLog(terminal: Terminal, { verbose, quiet }: LogOptions, usual: LogLevel = "error"): Log {
  const level = verbose === true ? "debug" : quiet === true ? "silent" : usual;
  return createLog(level, (line) => terminal.stderr.write(line));
}

export function configLocation({ cwd, env, platform, homeDirectory }: Terminal): ConfigLocation {
  return { cwd, env, platform, homeDirectory };
}
