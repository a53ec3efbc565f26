import type { Request, RequestHandler, Response } from "express";
import { CitewellError } from "../../errors.ts";
import { countCall, type RateLimit } from "../limits/rate.ts";
import type { Store } from "../store/store.ts";
import { authenticate, type KeyHolder } from "../tenants/keys.ts";

/** The holder of the key of each request. */
export interface Holders {
  /** Checks the key and counts the call, before the body is read. @throws KeyInvalid, LimitReached */
  identify: RequestHandler;
  of(request: Request): KeyHolder;
}

/** Remembers the holder of a request as long as it runs. */
export function createHolders({ store, rateLimit }: { store: Store; rateLimit: RateLimit }): Holders {
  const holders = new WeakMap<Request, KeyHolder>();
  return {
    async identify(request, response, next) {
      const holder = await authenticate(store, bearerOf(request));
      await requireRate(response, { store, holder, rateLimit });
      holders.set(request, holder);
      next();
    },
    of(request) {
      const holder = holders.get(request);
      if (holder === undefined) throw new RangeError("a request is answered before its key is checked");
      return holder;
    },
  };
}

/** @throws KeyInvalid */
function bearerOf(request: Request): string {
  const [, key] = /^Bearer +(\S+) *$/i.exec(request.get("authorization") ?? "") ?? [];
  if (key !== undefined) return key;
  throw new CitewellError("KeyInvalid", "the request has no API key", { hint: "send Authorization: Bearer <key>" });
}

/** Counts the call, and reports the limit in the headers. @throws LimitReached */
async function requireRate(
  response: Response,
  { store, holder, rateLimit }: { store: Store; holder: KeyHolder; rateLimit: RateLimit },
): Promise<void> {
  const decision = await countCall(store, `calls:${holder.key.id}`, rateLimit);
  const { isAllowed, remaining, resetSeconds, retryAfterSeconds } = decision;
  response.set({
    "RateLimit-Limit": String(rateLimit.perMinute),
    "RateLimit-Remaining": String(remaining),
    "RateLimit-Reset": String(resetSeconds),
  });
  if (isAllowed) return;
  response.set("Retry-After", String(retryAfterSeconds));
  throw new CitewellError(
    "LimitReached",
    `the limit of ${rateLimit.perMinute} calls per minute for this key is reached; 0 are left`,
    { hint: `the next call is allowed in ${retryAfterSeconds} s` },
  );
}
