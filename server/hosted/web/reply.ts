import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ErrorRequestHandler, Response } from "express";
import { codeOf, toCitewellError } from "../../errors.ts";
import type { Log } from "../../lib/log.ts";
import { toBodyError } from "../../transports/http/body.ts";
import { retryAfterOf } from "../limits/refusal.ts";
import { requestLog } from "./request-id.ts";
import { statusByKind } from "../../transports/http/status.ts";

/** Sends an answer of the MCP server. Spaces may have been sent before, but not before an event stream. */
export async function send(reply: globalThis.Response, response: Response): Promise<void> {
  const type = reply.headers.get("content-type");
  if (type?.startsWith("text/event-stream") === true && reply.body !== null) {
    response.status(reply.status).set({ "Content-Type": type, "X-Accel-Buffering": "no" });
    return pipeline(Readable.fromWeb(reply.body), response).catch(ignoreClosed);
  }
  const text = await reply.text();
  if (response.destroyed) return;
  if (response.headersSent) {
    response.end(text);
    return;
  }
  response.status(reply.status);
  if (type !== null && text !== "") response.set("Content-Type", type);
  response.end(text);
}

/** A client that closes the stream cancels its call: that is no failure. */
function ignoreClosed(error: unknown): void {
  if (codeOf(error) !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
}

/** Refuses a message in the form of JSON-RPC. */
export function refuseMessage(response: Response, code: number, message: string): void {
  response.status(400).json({ jsonrpc: "2.0", id: null, error: { code, message } });
}

/** Sends a space after each time of silence: JSON may begin with white space. Undefined sends nothing. */
export function sendSpaces(response: Response, intervalMs: number | undefined): Disposable {
  const timer =
    intervalMs === undefined
      ? undefined
      : setInterval(() => {
          if (!response.headersSent) response.writeHead(200, { "Content-Type": "application/json" });
          if (!response.writableNeedDrain) response.write(" ");
        }, intervalMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

const parseError = -32_700;

/** Failures before a message is answered: `{ error, message }`; a body that is no JSON in the protocol's own form. */
export function answerErrors(log: Log): ErrorRequestHandler {
  return (thrown: unknown, request, response, _next) => {
    const error = toCitewellError(toBodyError(thrown));
    const { tag, kind, message, hint } = error;
    const ofRequest = requestLog(log, response);
    if (tag === "Internal") ofRequest.error("request-failed", { path: request.path, error: error.cause ?? error });
    else ofRequest.info("request-refused", { tag });
    if (response.destroyed || response.writableEnded) return;
    if (response.headersSent) response.destroy();
    else if (tag === "InvalidRequest") refuseMessage(response, parseError, message);
    else {
      if (tag === "KeyInvalid") response.set("WWW-Authenticate", "Bearer");
      const retryAfter = retryAfterOf(error);
      if (retryAfter !== undefined) response.set("Retry-After", String(retryAfter));
      const text = hint === undefined ? message : `${message} (${hint})`;
      response.status(statusByKind[kind]).json({ error: tag, message: text });
    }
  };
}
