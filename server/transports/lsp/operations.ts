import { CancellationToken, ProgressType, type ResponseError } from "vscode-languageserver";
import * as z from "zod";
import { CitewellError, toCitewellError } from "../../errors.ts";
import { untilAborted } from "../../lib/abort.ts";
import type { Log } from "../../lib/log.ts";
import { type Handlers, type OperationName, operationNames, operations } from "../../protocol/operations.ts";
import type { Operation } from "../../protocol/operations.ts";
import { describeIssues } from "../../protocol/validation.ts";
import { callOperation } from "../call-operation.ts";
import { foldEvents } from "../fold-events.ts";
import type { Connection } from "./connection.ts";
import { toResponseError } from "./error-codes.ts";

export interface Answering {
  app: Handlers;
  log: Log;
  /** Why nothing is answered now, where that is so. */
  refusal(): ResponseError<unknown> | undefined;
  /** Cancels what runs. */
  closing: AbortSignal;
}

/** A request for each operation that has a name on this wire. */
export function answerOperations(connection: Connection, answering: Answering): void {
  for (const name of operationNames) {
    const { lsp }: Operation = operations[name];
    if (lsp === undefined) continue;
    connection.onRequest(lsp, (...received: unknown[]) => {
      const token = received.pop();
      const params = received.length > 1 ? received : received[0];
      return answer(name, params, { ...answering, connection, token: CancellationToken.is(token) ? token : never });
    });
  }
}

const never = CancellationToken.None;

async function answer(
  name: OperationName,
  params: unknown,
  { app, log, refusal, closing, connection, token }: Answering & { connection: Connection; token: CancellationToken },
): Promise<unknown> {
  const refused = refusal();
  if (refused !== undefined) return refused;
  const cancelling = new AbortController();
  const listening = token.onCancellationRequested(() =>
    cancelling.abort(new CitewellError("Cancelled", "the request was cancelled")),
  );
  const signal = AbortSignal.any([closing, cancelling.signal]);
  const startedAt = performance.now();
  try {
    return await carryOut(name, readParams(params), { app, connection, signal });
  } catch (thrown) {
    const error = toCitewellError(thrown);
    if (error.tag === "Internal") log.error("request-failed", { operation: name, error: error.cause ?? error });
    return toResponseError(error);
  } finally {
    listening.dispose();
    log.debug("request", { operation: name, ms: Math.round(performance.now() - startedAt) });
  }
}

/**
 * With a token each event is sent before the next one is requested, and the reply is empty; without one the reply is the
 * fold of the events.
 */
async function carryOut(
  name: OperationName,
  params: z.output<typeof Params>,
  { app, connection, signal }: { app: Handlers; connection: Connection; signal: AbortSignal },
): Promise<unknown> {
  const { partialResultToken, workDoneToken: _, ...input } = params;
  const { lsp }: Operation = operations[name];
  const request = { subject: lsp ?? name, noun: "field" } as const;
  const result = callOperation(app, name, input, { signal }, { request });
  if (!(Symbol.asyncIterator in result)) return untilAborted<unknown>(result, signal);
  if (partialResultToken === undefined || partialResultToken === null) return foldEvents(name, result, { signal });
  for await (const event of result) await connection.sendProgress(anyProgress, partialResultToken, event);
  signal.throwIfAborted();
  return null;
}

const anyProgress = new ProgressType<unknown>();

const Token = z.union([z.string(), z.int()]).nullish();
/** The tokens that the protocol lets a client put into any request; we send no progress of work. */
const Params = z.looseObject({ partialResultToken: Token, workDoneToken: Token });

function readParams(params: unknown): z.output<typeof Params> {
  const { success, data, error } = Params.safeParse(params ?? {});
  if (success) return data;
  throw new CitewellError("InvalidRequest", describeIssues(error, params));
}
