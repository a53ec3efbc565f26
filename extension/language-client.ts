import * as vscode from "vscode";
import * as z from "zod";
import {
  CloseAction,
  DidChangeConfigurationNotification,
  ErrorAction,
  ErrorCodes,
  LanguageClient,
  LSPErrorCodes,
  ProgressType,
  ResponseError,
  RevealOutputChannelOn,
  TransportKind,
} from "vscode-languageclient/node";
import { ErrorBody } from "../server/protocol/error.ts";
import { type OperationName, operations, type Input, type Output } from "../server/protocol/operations.ts";
import { type EventOf, folds } from "../server/protocol/results.ts";
import { childEnvironment } from "./child-environment.ts";
import { editorHint } from "./editor-hint.ts";
import type { RequestOptions, ServerQuestion } from "./context.ts";
import { ServerError, toServerError } from "./server-error.ts";
import { onDidChangeSettings, readSettings } from "./settings.ts";
import { traceChannel } from "./trace-channel.ts";

/** One run of the child process. */
export interface LanguageServer {
  /** @throws ServerError */
  request<Name extends OperationName>(
    name: Name,
    input: Input<Name>,
    options: RequestOptions<Name>,
  ): Promise<Output<Name>>;
  /** @throws ServerError */
  stream<Name extends OperationName>(
    name: Name,
    input: Input<Name>,
    options: Required<RequestOptions<Name>>,
  ): Promise<void>;
  readonly hasEnded: boolean;
  /** Settles when the process is gone, for whatever reason. */
  closed: Promise<void>;
  stop(): Promise<void>;
}

/** How long a start may take, in milliseconds: a cold disk and a busy computer included. */
const startLimitMs = 60_000;

/**
 * Starts the process, on the editor's own Node. This file is a bundle of its own, loaded with the first request.
 * @throws ServerError
 */
export async function startLanguageServer({
  module,
  cwd,
  log,
  answers,
  ending,
}: {
  module: string;
  cwd: string;
  log: vscode.LogOutputChannel;
  answers: ReadonlyMap<string, ServerQuestion>;
  /** Ends the start, too. */
  ending: AbortSignal;
}): Promise<LanguageServer> {
  const gone = new AbortController();
  const trace = traceChannel(log);
  const client = new QuietClient(
    "citewell-server",
    "Citewell Server",
    {
      module,
      args: ["lsp"],
      transport: TransportKind.ipc,
      options: { cwd, env: childEnvironment() },
    },
    {
      documentSelector: [{ scheme: "file", language: "citewell-config" }],
      outputChannel: log,
      traceOutputChannel: trace,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: () => ({ settings: readSettings() }),
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => {
          gone.abort();
          return { action: CloseAction.DoNotRestart, handled: true };
        },
      },
    },
  );
  const closed = new Promise<void>((resolve) => gone.signal.addEventListener("abort", () => resolve()));
  const subscriptions: vscode.Disposable[] = [trace];
  for (const [method, answer] of answers) subscriptions.push(client.onRequest(method, answerWith(client, answer)));
  void closed.then(() => subscriptions.forEach((subscription) => subscription.dispose()));
  try {
    await startWithin(client, { limitMs: startLimitMs, ending });
  } catch (error) {
    await client.stop().catch(() => {});
    gone.abort();
    throw toServerError(error);
  }
  subscriptions.push(
    onDidChangeSettings(() => {
      // One that is being stopped needs them no more: the next one asks when it starts.
      client.sendNotification(DidChangeConfigurationNotification.type, { settings: readSettings() }).catch(() => {});
    }),
  );
  return {
    request: (name, input, options) => sendRequest(client, name, input, options),
    stream: (name, input, options) => streamEvents(client, name, input, options),
    get hasEnded() {
      return gone.signal.aborted;
    },
    closed,
    async stop() {
      // The client library kills the process after this time.
      await client.stop().catch(() => {});
      gone.abort();
    },
  };
}

/** Says nothing by itself: when to bother the person is decided in one place, and not there. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

async function startWithin(
  client: LanguageClient,
  { limitMs, ending }: { limitMs: number; ending: AbortSignal },
): Promise<void> {
  const stopping = new AbortController();
  const limit = AbortSignal.any([ending, stopping.signal, AbortSignal.timeout(limitMs)]);
  const stopped = new Promise<never>((_resolve, reject) => {
    limit.addEventListener("abort", () => reject(new Error(vscode.l10n.t("The server did not answer in time."))));
  });
  try {
    await Promise.race([client.start(), stopped]);
    ending.throwIfAborted();
  } finally {
    stopping.abort();
  }
}

/** What comes over the wire is checked once, here; callers trust the types. */
async function sendRequest<Name extends OperationName>(
  client: LanguageClient,
  name: Name,
  input: Input<Name>,
  { token, onEvent }: RequestOptions<Name>,
): Promise<Output<Name>> {
  const fold = folds[name];
  if (fold === undefined) return sendPlain(client, name, input, token);
  let result: Output<Name> | undefined;
  await streamEvents(client, name, input, {
    token,
    onEvent(event) {
      result = fold(result, event);
      onEvent?.(event);
    },
  });
  if (result === undefined) throw new ServerError({ error: `${name} ended without a result`, tag: "Internal" });
  return result;
}

async function sendPlain<Name extends OperationName>(
  client: LanguageClient,
  name: Name,
  params: Input<Name>,
  token: vscode.CancellationToken | undefined,
): Promise<Output<Name>> {
  const { output }: Row<Name> = table[name];
  try {
    return output.parse(await send(client, methodOf(name), { params, token }));
  } catch (error) {
    throw toAnswered(error);
  }
}

async function streamEvents<Name extends OperationName>(
  client: LanguageClient,
  name: Name,
  input: Input<Name>,
  { token, onEvent }: Required<RequestOptions<Name>>,
): Promise<void> {
  const { event }: Row<Name> = table[name];
  const partialResultToken = crypto.randomUUID();
  const listening = client.onProgress(new ProgressType<unknown>(), partialResultToken, (raw) => {
    if (event !== undefined) onEvent?.(event.parse(raw));
  });
  try {
    await send(client, methodOf(name), { params: { ...input, partialResultToken }, token });
  } catch (error) {
    throw toAnswered(error);
  } finally {
    listening.dispose();
  }
}

function methodOf(name: OperationName): string {
  const { lsp }: Row<OperationName> = table[name];
  if (lsp === undefined) throw new ServerError({ error: `the editor's server has no ${name}`, tag: "Internal" });
  return lsp;
}

/** A token that is undefined would be sent along, as a second parameter. */
function send(
  client: LanguageClient,
  method: string,
  { params, token }: { params: object; token: vscode.CancellationToken | undefined },
): Promise<unknown> {
  return token === undefined ? client.sendRequest(method, params) : client.sendRequest(method, params, token);
}

interface Row<Name extends OperationName> {
  lsp?: string;
  output: z.ZodType<Output<Name>>;
  event?: z.ZodType<EventOf<Name>>;
}
const table: { [Name in OperationName]: Row<Name> } = operations;

/** What the server said, or that there is none left to say anything. */
function toAnswered(error: unknown): ServerError {
  if (!(error instanceof ResponseError)) return toServerError(error);
  const body = ErrorBody.safeParse(error.data).data;
  if (body !== undefined) return new ServerError(inEditor(body));
  if (error.code === LSPErrorCodes.RequestCancelled) {
    return new ServerError({ error: vscode.l10n.t("It was cancelled."), tag: "Cancelled" });
  }
  if (!lostCodes.has(error.code)) return toServerError(error);
  return new ServerError({
    error: vscode.l10n.t("The Citewell server ended before it could answer."),
    tag: "ServerFailed",
    hint: vscode.l10n.t("It is restarting; try again in a moment."),
  });
}

/** All notifications from the server go through here. */
function inEditor({ hint, ...body }: ErrorBody): ErrorBody {
  return hint === undefined ? body : { ...body, hint: editorHint(hint) };
}

const lostCodes = new Set<number>([
  ErrorCodes.PendingResponseRejected,
  ErrorCodes.ConnectionInactive,
  ErrorCodes.MessageWriteError,
]);

/** A request of the server's, answered by a feature; a failure travels as it would in the other direction. */
function answerWith(client: LanguageClient, answer: ServerQuestion) {
  return async (params: unknown, token: vscode.CancellationToken): Promise<unknown> => {
    const partialResultToken = WithToken.safeParse(params).data?.partialResultToken;
    try {
      return await answer(params, {
        token,
        async sendEvent(event) {
          if (partialResultToken === undefined) return;
          await client.sendProgress(new ProgressType<unknown>(), partialResultToken, event);
        },
      });
    } catch (error) {
      const { message, tag, hint } = toServerError(error);
      const body: ErrorBody = hint === undefined ? { error: message, tag } : { error: message, tag, hint };
      return new ResponseError(LSPErrorCodes.RequestFailed, message, body);
    }
  };
}

const WithToken = z.object({ partialResultToken: z.union([z.string(), z.int()]).optional() });
