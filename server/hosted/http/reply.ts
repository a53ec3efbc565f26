import type { ErrorRequestHandler, Response } from "express";
import type { CitewellError } from "../../errors.ts";
import type { Log } from "../../lib/log.ts";
import { toRequestError } from "../../transports/http/body.ts";
import { retryAfterOf } from "../limits/refusal.ts";
import { toPublicError } from "../public-error.ts";
import { loggedPath, requestLog } from "./request-id.ts";
import { statusByKind } from "../../transports/http/status.ts";

/** Refuses a message in the form of JSON-RPC, with the `message` that all failures have. */
export function refuseMessage(response: Response, code: number, message: string): void {
  response.status(400).json({ jsonrpc: "2.0", id: null, error: { code, message }, message });
}

/** Answers a client that took the name of a tool for a method. */
export function refuseToolMethod(response: Response, { id, method }: { id: string | number; method: string }): void {
  const call = JSON.stringify({ method: "tools/call", params: { name: method, arguments: {} } });
  const error = { code: methodNotFound, message: `Method not found: ${method} is a tool; call it with ${call}` };
  response.json({ jsonrpc: "2.0", id, error });
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

// https://www.jsonrpc.org/specification#error_object
const methodNotFound = -32_601;
/** The code for a message that cannot be read. */
export const parseError = -32_700;
/** A restart of PostgreSQL takes seconds. */
export const unavailableSeconds = 5;

/** Failures before a message is answered: `{ error, message }`; a body that is no JSON in the protocol's own form. `challenge` is for `WWW-Authenticate`. */
export function answerErrors(
  log: Log,
  challenge: (error: CitewellError) => string = () => "Bearer",
): ErrorRequestHandler {
  return (thrown: unknown, request, response, _next) => {
    const error = toPublicError(toRequestError(thrown));
    const { tag, kind, message, hint } = error;
    const ofRequest = requestLog(log, response);
    if (tag === "Internal" || kind === "unavailable")
      ofRequest.error("request-failed", { path: loggedPath(request), error: error.cause ?? error });
    else ofRequest.info("request-refused", { tag });
    if (response.destroyed || response.writableEnded) return;
    if (response.headersSent) response.destroy();
    else if (tag === "InvalidRequest") refuseMessage(response, parseError, message);
    else {
      if (kind === "auth") response.set("WWW-Authenticate", challenge(error));
      const retryAfter = kind === "unavailable" ? unavailableSeconds : retryAfterOf(error);
      if (retryAfter !== undefined) response.set("Retry-After", String(retryAfter));
      const text = hint === undefined ? message : `${message} (${hint})`;
      response.status(statusByKind[kind]).json({ error: tag, message: text });
    }
  };
}
