import * as vscode from "vscode";
import type { Server, ServerQuestion, ServerState } from "./context.ts";
import type { LanguageServer } from "./language-client.ts";
import { createRestarts } from "./restarts.ts";
import { ServerError, toServerError } from "./server-error.ts";

type Extension = Pick<vscode.ExtensionContext, "extensionUri" | "globalStorageUri">;

/** The child process as features see it: started by the first request, started again when it dies, given up at last. */
export function createServer({
  extension,
  log,
}: {
  extension: Extension;
  log: vscode.LogOutputChannel;
}): Server & vscode.Disposable {
  const serverLog = vscode.window.createOutputChannel("Citewell Server", { log: true });
  const stateChanged = new vscode.EventEmitter<ServerState>();
  const answeringChanged = new vscode.EventEmitter<boolean>();
  const answers = new Map<string, ServerQuestion>();
  const restarts = createRestarts();
  let state: ServerState = "stopped";
  let questionCount = 0;
  let run: Run | undefined;

  function setState(next: ServerState): void {
    if (next === state) return;
    log.info(`server ${next}`);
    state = next;
    stateChanged.fire(next);
  }

  function countQuestion(step: 1 | -1): void {
    const wasAnswering = questionCount > 0;
    questionCount += step;
    if (wasAnswering !== questionCount > 0) answeringChanged.fire(questionCount > 0);
  }

  function ready(): Promise<LanguageServer> {
    if (run === undefined && state === "failed") return Promise.reject(failed());
    run ??= begin();
    return run.server;
  }

  function begin(delayMs = 0): Run {
    const ending = new AbortController();
    const server = startAgainAndAgain(delayMs, ending.signal);
    // Whoever waits for it is told; that nobody does is no fault of its own.
    server.catch(() => {});
    return { server, ending };
  }

  async function startAgainAndAgain(delayMs: number, ending: AbortSignal): Promise<LanguageServer> {
    setState("starting");
    for (let wait: number | undefined = delayMs; wait !== undefined; wait = restarts.next(Date.now())) {
      await pause(wait, ending);
      if (ending.aborted) throw stopped();
      try {
        return await startOnce(ending);
      } catch (error) {
        if (ending.aborted) throw stopped();
        log.error(`the server did not start: ${toServerError(error).message}`);
      }
    }
    run = undefined;
    setState("failed");
    throw failed({ isTold: true });
  }

  async function startOnce(ending: AbortSignal): Promise<LanguageServer> {
    const { startLanguageServer } = await import("./language-client.ts");
    const server = await startLanguageServer({
      module: vscode.Uri.joinPath(extension.extensionUri, "dist", "citewell.mjs").fsPath,
      cwd: await workingFolder(extension),
      log: serverLog,
      answers,
      ending,
    });
    setState("running");
    void watch(server, ending);
    return server;
  }

  async function watch(server: LanguageServer, ending: AbortSignal): Promise<void> {
    await server.closed;
    if (!ending.aborted) recover();
  }

  /** The process has ended by itself. */
  function recover(): void {
    const delayMs = restarts.next(Date.now());
    log.error(
      `the server ended unexpectedly; ${delayMs === undefined ? "it is given up" : `next start in ${delayMs} ms`}`,
    );
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

  const server: Server = {
    get state() {
      return state;
    },
    get isAnswering() {
      return questionCount > 0;
    },
    onDidChangeState: stateChanged.event,
    onDidChangeAnswering: answeringChanged.event,
    log: serverLog,
    async request(name, input, options = {}) {
      const running = await ready();
      if (name === "ask") countQuestion(1);
      try {
        return await running.request(name, input, options);
      } catch (error) {
        // When the process was given up with this request, one message tells of both.
        throw await withFate(toServerError(error), running);
      } finally {
        if (name === "ask") countQuestion(-1);
      }
    },
    answer(method, answer) {
      answers.set(method, answer);
      return new vscode.Disposable(() => answers.delete(method));
    },
    async start() {
      await ready();
    },
    async restart() {
      await stop();
      restarts.forgive();
      await ready();
    },
    stop,
  };

  async function withFate(error: ServerError, running: LanguageServer): Promise<ServerError> {
    if (!running.hasEnded) return error;
    await running.closed;
    return state === "failed" ? failed({ isTold: true }) : error;
  }

  return Object.assign(server, {
    dispose() {
      // Its log stays open until the editor's host ends: the last lines of a process may come after it is stopped.
      void stop();
      stateChanged.dispose();
      answeringChanged.dispose();
    },
  });
}

interface Run {
  server: Promise<LanguageServer>;
  ending: AbortController;
}

/** The project's folder, unless nobody has said that it is to be trusted: then its configuration must not count. */
export async function workingFolder({ globalStorageUri }: Extension): Promise<string> {
  const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === "file");
  if (folder !== undefined && vscode.workspace.isTrusted) return folder.uri.fsPath;
  const neutral = vscode.Uri.joinPath(globalStorageUri, "no-project");
  await vscode.workspace.fs.createDirectory(neutral);
  return neutral.fsPath;
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

function failed(options: { isTold?: boolean } = {}): ServerError {
  const error = vscode.l10n.t("The Citewell server has failed several times in a row.");
  return new ServerError({ error, tag: "ServerFailed", hint: vscode.l10n.t("Its log tells why.") }, options);
}

function stopped(): ServerError {
  const error = vscode.l10n.t("The Citewell server was stopped before it could answer.");
  return new ServerError({ error, tag: "ServerFailed", hint: vscode.l10n.t("Try it again.") });
}
