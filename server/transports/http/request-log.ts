import type { RequestHandler } from "express";
import type { Log } from "../../lib/log.ts";
import { isQuiet } from "./body.ts";
import type { Callers } from "./callers.ts";

/** One line for each request once it is over, but for those that ask for silence. No query and no body: what they hold is the user's. */
export function logRequests(log: Log, callers: Pick<Callers, "find">): RequestHandler {
  return (request, response, next) => {
    const start = performance.now();
    const { method, path } = request;
    response.once("close", () => {
      if (isQuiet(request)) return;
      const ms = Math.round(performance.now() - start);
      log.info("http-request", {
        ...callers.find(request)?.logFields,
        method,
        path,
        status: response.statusCode,
        ms,
        isComplete: response.writableFinished,
      });
    });
    next();
  };
}
