import { randomUUID } from "node:crypto";
import type { RequestHandler, Response } from "express";
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
