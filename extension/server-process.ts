import * as vscode from "vscode";
import type { ServerState } from "./context.ts";
import type { LanguageServer } from "./language-client.ts";
import { createRestarts } from "./restarts.ts";
import { ServerError, toServerError } from "./server-error.ts";

/**
 * The editor's child process: started on demand, started again when it dies, given up when it dies too often.
 *
 * It does not speak the protocol: one run of the process is a `LanguageServer` (`language-client.ts`). Features do
 * not use it directly but `Server` of the context, which waits for it. docs/development/editor.md describes both
 * sides.
 */
export interface ServerProcess {
  readonly state: ServerState;
  /**
   * The running process, started if there is none.
   * @throws ServerError (ServerFailed)
   */
  ready(): Promise<LanguageServer>;
  /** Starts anew, even after the process was given up. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface ServerProcessOptions {
  /** One run of the process, which `ending` ends. */
  start(ending: AbortSignal): Promise<LanguageServer>;
  log: Pick<vscode.LogOutputChannel, "info" | "error">;
  onState(state: ServerState): void;
}

interface Run {
  server: Promise<LanguageServer>;
  ending: AbortController;
}

/** Creates the server's process, started on first use and restarted after a failure. */
export function createServerProcess({ start, log, onState }: ServerProcessOptions): ServerProcess {
  const restarts = createRestarts();
  let state: ServerState = "stopped";
  let run: Run | undefined;

  function setState(next: ServerState): void {
    if (next === state) return;
    log.info(`server ${next}`);
    state = next;
    onState(next);
  }

  async function ready(): Promise<LanguageServer> {
    if (run === undefined && state === "failed") throw failed();
    run ??= begin();
    return run.server;
  }

  function begin(delayMs = 0): Run {
    const ending = new AbortController();
    const server = startRepeatedly(delayMs, ending.signal);
    // Callers that wait for it handle the rejection; there may be none.
    server.catch(() => {});
    return { server, ending };
  }

  async function startRepeatedly(delayMs: number, ending: AbortSignal): Promise<LanguageServer> {
    setState("starting");
    for (let wait: number | undefined = delayMs; wait !== undefined; wait = restarts.next(Date.now())) {
      await pause(wait, ending);
      if (ending.aborted) throw stopped();
      try {
        const server = await start(ending);
        setState("running");
        void server.closed.then(() => ending.aborted || recover());
        return server;
      } catch (error) {
        if (ending.aborted) throw stopped();
        log.error(`the server did not start: ${toServerError(error).message}`);
      }
    }
    run = undefined;
    setState("failed");
    throw failed({ isReported: true });
  }

  /** Starts again after the process ended by itself. */
  function recover(): void {
    const delayMs = restarts.next(Date.now());
    const next = delayMs === undefined ? "it is given up" : `next start in ${delayMs} ms`;
    log.error(`the server ended unexpectedly; ${next}`);
    run = delayMs === undefined ? undefined : begin(delayMs);
    if (run === undefined) setState("failed");
  }

  async function stop(): Promise<void> {
    const last = run;
    run = undefined;
    last?.ending.abort();
    setState("stopped");
    await last?.server.then(
      (server) => server.stop(),
      () => {},
    );
  }

  return {
    get state() {
      return state;
    },
    ready,
    async restart() {
      await stop();
      restarts.forgive();
      await ready();
    },
    stop,
  };
}

export function failed(options: { isReported?: boolean } = {}): ServerError {
  const error = vscode.l10n.t("The Citewell server has failed several times in a row.");
  return new ServerError({ error, tag: "ServerFailed", hint: vscode.l10n.t("Its log has the reason.") }, options);
}

function stopped(): ServerError {
  const error = vscode.l10n.t("The Citewell server was stopped before it could answer.");
  return new ServerError({ error, tag: "ServerFailed", hint: vscode.l10n.t("Try it again.") });
}

function pause(milliseconds: number, ending: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    ending.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
