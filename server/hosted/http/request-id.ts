import { randomUUID } from "node:crypto";
import type { Request, RequestHandler, Response } from "express";
import { type Log, withFields } from "../../lib/log.ts";

const header = "X-Request-Id";

/** Gives each request an id, which is in its answer and in its log lines. */
export const identifyRequest: RequestHandler = (_request, response, next) => {
  response.set(header, randomUUID());
  next();
};

/** A log whose lines have the id of the request. */
export function requestLog(log: Log, response: Response): Log {
  return withFields(log, { request: response.get(header) });
}

/** The path of a request without the token of a one-time link, which readers of the log must not learn. */
export function loggedPath({ path }: Pick<Request, "path">): string {
  return path.replace(/^\/(link|password|sign-in\/link)\/[^/]+/i, "/$1/…");
}
