import type { ErrorRequestHandler } from "express";
import { toCitewellError, toErrorBody } from "../../errors.ts";
import type { Log } from "../../lib/log.ts";
import { isQuiet, toRequestError } from "./body.ts";
import { formatEvent } from "./events.ts";
import { statusOf } from "./status.ts";

/** The one place where a failure becomes an answer: a status before the first event of a stream, its last event after it. */
export function answerErrors(log: Log): ErrorRequestHandler {
  return (thrown: unknown, request, response, _next) => {
    const error = toCitewellError(toRequestError(thrown));
    if (error.tag === "Internal" && !isQuiet(request)) {
      log.error("request-failed", { method: request.method, path: request.path, error: error.cause ?? error });
    }
    if (response.destroyed || response.writableEnded) return;
    const body = toErrorBody(error);
    if (response.headersSent) {
      const { error: message, ...rest } = body;
      response.end(formatEvent({ type: "error", message, ...rest }));
    } else response.status(statusOf(error, request.path)).json(body);
  };
}
