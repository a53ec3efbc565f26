import type { Request, RequestHandler } from "express";
import type { Caller } from "../../caller.ts";

/** The caller of each request. */
export interface Callers {
  /** Identifies the caller before anything answers; what `callerOf` throws is the answer. */
  identify: RequestHandler;
  /** Undefined for a request that was refused. */
  find(request: Request): Caller | undefined;
  of(request: Request): Caller;
}

/** Remembers the caller of each request as long as it runs. */
export function createCallers(callerOf: (request: Request) => Caller | Promise<Caller>): Callers {
  const callers = new WeakMap<Request, Caller>();
  return {
    async identify(request, _response, next) {
      callers.set(request, await callerOf(request));
      next();
    },
    find: (request) => callers.get(request),
    of(request) {
      const caller = callers.get(request);
      if (caller === undefined) throw new RangeError("a request is answered before its caller is identified");
      return caller;
    },
  };
}
