import * as vscode from "vscode";
import type { Server, ServerQuestion, ServerState } from "./context.ts";
import type { LanguageServer } from "./language-client.ts";
import { type ServerError, toServerError } from "./server-error.ts";
import { createServerProcess, failed } from "./server-process.ts";
import { workingFolder } from "./working-folder.ts";

/** The child process as features see it. */
export function createServer({
  extension,
  log,
}: {
  extension: Pick<vscode.ExtensionContext, "extensionUri" | "globalStorageUri">;
  log: vscode.LogOutputChannel;
}): Server & vscode.Disposable {
  const serverLog = vscode.window.createOutputChannel("Citewell Server", { log: true });
  const stateChanged = new vscode.EventEmitter<ServerState>();
  const answeringChanged = new vscode.EventEmitter<boolean>();
  const answers = new Map<string, ServerQuestion>();
  let questionCount = 0;
  const child = createServerProcess({ start, log, onState: (state) => stateChanged.fire(state) });

  async function start(ending: AbortSignal): Promise<LanguageServer> {
    const { startLanguageServer } = await import("./language-client.ts");
    const module = vscode.Uri.joinPath(extension.extensionUri, "dist", "citewell.mjs").fsPath;
    return startLanguageServer({ module, cwd: await workingFolder(extension), log: serverLog, answers, ending });
  }

  function countQuestion(step: 1 | -1): void {
    const wasAnswering = questionCount > 0;
    questionCount += step;
    if (wasAnswering !== questionCount > 0) answeringChanged.fire(questionCount > 0);
  }

  async function call<Result>(name: string, send: (running: LanguageServer) => Promise<Result>): Promise<Result> {
    const running = await child.ready();
    if (name === "ask") countQuestion(1);
    try {
      return await send(running);
    } catch (error) {
      throw await withFate(toServerError(error), running);
    } finally {
      if (name === "ask") countQuestion(-1);
    }
  }

  /** If the process was given up during this request, one message reports both. */
  async function withFate(error: ServerError, running: LanguageServer): Promise<ServerError> {
    if (!running.hasEnded) return error;
    await running.closed;
    return child.state === "failed" ? failed({ isReported: true }) : error;
  }

  return {
    get state() {
      return child.state;
    },
    get isAnswering() {
      return questionCount > 0;
    },
    onDidChangeState: stateChanged.event,
    onDidChangeAnswering: answeringChanged.event,
    log: serverLog,
    request: (name, input, options = {}) => call(name, (running) => running.request(name, input, options)),
    stream: (name, input, options) => call(name, (running) => running.stream(name, input, options)),
    answer(method, answer) {
      answers.set(method, answer);
      return new vscode.Disposable(() => answers.delete(method));
    },
    start: async () => void (await child.ready()),
    restart: child.restart,
    stop: child.stop,
    dispose() {
      // The log stays open until the editor's host ends: the process may write last lines after it is stopped.
      void child.stop();
      stateChanged.dispose();
      answeringChanged.dispose();
    },
  };
}
