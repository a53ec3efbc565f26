import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import { firstRow } from "../store/rows.ts";
import type { Queries } from "../store/store.ts";

/** A number of calls in a minute; after a pause, all of them may come at once. */
export interface RateLimit {
  perMinute: number;
}

/** A limit per hour. */
export interface HourlyLimit {
  perHour: number;
}

/** The outcome for one call. Times are in whole seconds. */
export interface RateDecision {
  isAllowed: boolean;
  /** How many more calls are allowed now. */
  remaining: number;
  /** Seconds until all calls are available again. */
  resetSeconds: number;
  /** Seconds until the next call is allowed; 0 if it is now. */
  retryAfterSeconds: number;
}

const Ahead = z.object({ ahead: z.number() });

/**
 * Counts one call under `key`, exactly across nodes: the generic cell rate algorithm in one statement. `tat`, the
 * theoretical arrival time, moves ahead of the clock by a fixed step for each call, and no further than a minute or an
 * hour. The clock is the database's.
 */
export async function countCall(
  { query }: Pick<Queries, "query">,
  key: string,
  limit: RateLimit | HourlyLimit,
): Promise<RateDecision> {
  const [calls, windowSeconds] = "perHour" in limit ? [limit.perHour, 3600] : [limit.perMinute, 60];
  const stepSeconds = windowSeconds / calls;
  const taken = await query(
    `insert into rate as r (key, tat) values ($1, extract(epoch from clock_timestamp())::float8 + $2::float8)
     on conflict (key) do update
       set tat = greatest(r.tat, extract(epoch from clock_timestamp())::float8) + $2::float8
       where greatest(r.tat, extract(epoch from clock_timestamp())::float8) + $2::float8
         <= extract(epoch from clock_timestamp())::float8 + $3::float8
     returning tat - extract(epoch from clock_timestamp())::float8 as ahead`,
    [key, stepSeconds, windowSeconds],
  );
  const allowed = firstRow(Ahead, taken);
  if (allowed !== undefined) {
    const remaining = Math.max(0, Math.floor((windowSeconds - allowed.ahead) / stepSeconds));
    return { isAllowed: true, remaining, resetSeconds: Math.ceil(allowed.ahead), retryAfterSeconds: 0 };
  }
  const current = await query(
    "select tat - extract(epoch from clock_timestamp())::float8 as ahead from rate where key = $1",
    [key],
  );
  const ahead = firstRow(Ahead, current)?.ahead ?? 0;
  const retryAfterSeconds = Math.max(1, Math.ceil(ahead + stepSeconds - windowSeconds));
  return { isAllowed: false, remaining: 0, resetSeconds: Math.max(1, Math.ceil(ahead)), retryAfterSeconds };
}

/** Deletes the rows of addresses and accounts without recent attempts. */
export async function deleteIdleRates({ query }: Pick<Queries, "query">): Promise<void> {
  await query("delete from rate where tat <= extract(epoch from clock_timestamp())");
}

/** Counts a question of an account on the web pages. @throws LimitReached */
export async function requireQuestionRate(
  queries: Pick<Queries, "query">,
  { id }: { id: string },
  rateLimit: RateLimit,
): Promise<void> {
  const { isAllowed, retryAfterSeconds } = await countCall(queries, `calls:account:${id}`, rateLimit);
  if (isAllowed) return;
  const message = `the limit of ${rateLimit.perMinute} questions per minute for an account is reached`;
  throw new CitewellError("LimitReached", message, { hint: `the next one is allowed in ${retryAfterSeconds} s` });
}
