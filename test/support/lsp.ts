import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { pathToFileURL } from "node:url";
import {
  type CancellationToken,
  createProtocolConnection,
  IPCMessageReader,
  IPCMessageWriter,
  ProgressType,
  type ProtocolConnection,
  ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver/node";
import { silentLog } from "../../server/lib/log.ts";
import { ErrorBody } from "../../server/protocol/error.ts";
import type { Handlers } from "../../server/protocol/operations.ts";
import { openConnection, streamWires } from "../../server/transports/lsp/connection.ts";
import { type LspOptions, serveLsp } from "../../server/transports/lsp/lsp.ts";
import { citewellFile, cliEnvironment } from "./cli.ts";
import { unansweredOperations } from "./http.ts";

/** A client of our language server. */
export interface LspClient {
  connection: ProtocolConnection;
  /** Messages from `window/logMessage` and `window/showMessage`, with level. */
  logged: Message[];
  shown: Message[];
  /** Sends a request and returns its result or error. */
  call(method: string, params?: unknown, token?: CancellationToken): Promise<Reply>;
  /** Sends a request and also returns the events before the reply. */
  stream(method: string, params: object, options?: StreamOptions): Promise<Reply & { events: unknown[] }>;
}

interface Message {
  type: number;
  message: string;
}

/** A result, or a JSON-RPC error with our error body. */
export type Reply = { result: unknown } | { code: number; message: string; body: ErrorBody | undefined };

interface StreamOptions {
  token?: CancellationToken;
  onEvent?: (event: unknown) => void;
}

/** A client with the built server as a child process. */
export interface LspProcess extends LspClient, AsyncDisposable {
  process: ChildProcess;
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** The environment of the server process. */
export interface LspProcessOptions {
  folder: string;
  transport?: keyof typeof starts;
  settings?: Record<string, unknown>;
  env?: Record<string, string>;
  /** The parent process; the server exits with it. */
  processId?: number | null;
  /** Open workspace folders, absolute paths. */
  workspaceFolders?: readonly string[];
}

/** Starts the built server as an editor does, including the handshake. */
export async function startLsp({
  folder,
  transport = "stdio",
  settings = {},
  env = {},
  processId = process.pid,
  workspaceFolders = [],
}: LspProcessOptions): Promise<LspProcess> {
  const { child, connection } = starts[transport](folder, env);
  const exited = once(child, "exit").then(([code, signal]) => ({ code, signal }));
  const client = clientOf(connection);
  await shakeHands(client, { processId, settings, workspaceFolders });
  return {
    ...client,
    process: child,
    exited,
    async [Symbol.asyncDispose]() {
      connection.dispose();
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** A client with the server in this process. */
export interface LspInMemory extends LspClient {
  /** Resolves with the exit code when the server ends. */
  ended: Promise<number>;
}

/** Starts the real server with the test's handlers; other operations fail. */
export async function serveInMemory(
  handlers: Partial<Handlers> = {},
  { settings = {}, ...options }: Partial<Omit<LspOptions, "app">> & { settings?: unknown } = {},
): Promise<LspInMemory> {
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  const ended = serveLsp(openConnection(streamWires(toServer, toClient)), {
    app: { ...unansweredOperations(), ...handlers },
    version: "1.2.3",
    log: silentLog,
    onLimits() {},
    signal: new AbortController().signal,
    ...options,
  });
  const connection = createProtocolConnection(new StreamMessageReader(toClient), new StreamMessageWriter(toServer));
  const client = clientOf(connection);
  await shakeHands(client, { processId: null, settings });
  return { ...client, ended };
}

/** Creates a client on an unopened connection. The caller does the handshake. */
export function clientOf(connection: ProtocolConnection): LspClient {
  const logged: Message[] = [];
  const shown: Message[] = [];
  connection.onNotification("window/logMessage", (message: Message) => void logged.push(message));
  connection.onNotification("window/showMessage", (message: Message) => void shown.push(message));
  // Writes to a killed process fail.
  connection.onError(() => {});
  // Disposing rejects pending requests.
  connection.onClose(() => connection.dispose());
  connection.listen();

  async function call(method: string, params: unknown = {}, token?: CancellationToken): Promise<Reply> {
    // An undefined token would be sent as a second parameter.
    const rest = token === undefined ? [] : [token];
    try {
      return { result: await connection.sendRequest<unknown>(method, params, ...rest) };
    } catch (error) {
      if (!(error instanceof ResponseError)) throw error;
      return { code: error.code, message: error.message, body: ErrorBody.safeParse(error.data).data };
    }
  }

  return {
    connection,
    logged,
    shown,
    call,
    async stream(method, params, { token, onEvent } = {}) {
      const events: unknown[] = [];
      const partialResultToken = crypto.randomUUID();
      const listening = connection.onProgress(new ProgressType<unknown>(), partialResultToken, (event) => {
        events.push(event);
        onEvent?.(event);
      });
      const reply = await call(method, { ...params, partialResultToken }, token);
      listening.dispose();
      return { ...reply, events };
    },
  };
}

async function shakeHands(
  { connection }: LspClient,
  {
    processId,
    settings,
    workspaceFolders = [],
  }: { processId: number | null; settings: unknown; workspaceFolders?: readonly string[] },
): Promise<void> {
  await connection.sendRequest("initialize", {
    processId,
    rootUri: null,
    capabilities: { workspace: { workspaceFolders: true } },
    workspaceFolders: workspaceFolders.map((folder) => ({ uri: pathToFileURL(folder).href, name: folder })),
    initializationOptions: { settings },
  });
  await connection.sendNotification("initialized", {});
}

interface Started {
  child: ChildProcess;
  connection: ProtocolConnection;
}

/** The handshake, as in `vscode-languageclient`. */
const starts = {
  stdio(folder: string, env: Record<string, string>): Started {
    const child = spawn(process.execPath, [citewellFile, "lsp", "--stdio"], optionsIn(folder, env));
    const connection = createProtocolConnection(
      new StreamMessageReader(child.stdout),
      new StreamMessageWriter(child.stdin),
    );
    return { child, connection };
  },
  ipc(folder: string, env: Record<string, string>): Started {
    const args = ["lsp", "--node-ipc", `--clientProcessId=${process.pid}`];
    const child = fork(citewellFile, args, { ...optionsIn(folder, env), silent: true });
    return { child, connection: createProtocolConnection(new IPCMessageReader(child), new IPCMessageWriter(child)) };
  },
};

function optionsIn(folder: string, env: Record<string, string>) {
  return { cwd: folder, env: cliEnvironment(folder, env) };
}
