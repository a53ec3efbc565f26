import type { NextFunction, Request, Response } from "express";
import { CitewellError } from "../../errors.ts";

/** Aborts when the client closes the connection before it has its whole answer. */
export function untilLeft(response: Response): AbortSignal {
  const left = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) left.abort(new CitewellError("Cancelled", "the client left"));
  });
  return left.signal;
}

export function sendHealth(response: Response, version: string): void {
  response.json({ ok: true, service: "citewell", version });
}

/** The headers of every response. */
export function setCommonHeaders(_request: Request, response: Response, next: NextFunction): void {
  response.set({ "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" });
  next();
}
