import { setTimeout as sleep } from "node:timers/promises";
import { APICallError } from "@ai-sdk/provider";

/** Retries after the first attempt: enough for a brief failure without a long wait. */
const retryLimit = 2;
/** The delay before the first retry. It doubles each time; half is jitter, so that clients do not retry in sync. */
const firstDelayMs = 500;
/** A longer `Retry-After` fails the call, and the user decides. */
const patienceMs = 60_000;

/**
 * Retries temporary failures (`APICallError.isRetryable`: 408, 409, 429, 5xx, a failed connection) after `Retry-After` or
 * with exponential backoff. Rethrows any other error unchanged.
 */
export async function withRetries<Value>(
  attempt: () => PromiseLike<Value>,
  { onRetry, signal }: { onRetry: (retry: Retry) => void; signal: AbortSignal | undefined },
): Promise<Value> {
  for (let retries = 0; ; retries++) {
    try {
      return await attempt();
    } catch (error) {
      if (retries === retryLimit || !APICallError.isInstance(error) || !error.isRetryable) throw error;
      const delayMs = retryAfterMs(error) ?? firstDelayMs * 2 ** retries * (0.5 + Math.random() / 2);
      if (delayMs > patienceMs) throw error;
      onRetry({ error, attempt: retries + 1, limit: retryLimit, delayMs });
      await sleep(delayMs, undefined, { signal });
    }
  }
}

/** A retry that is about to wait `delayMs`. */
export interface Retry {
  error: APICallError;
  /** The number of the next retry, from 1, and the maximum. */
  attempt: number;
  limit: number;
  delayMs: number;
}

/** The delay from `Retry-After` (RFC 9110, 10.2.3: seconds or a date), or OpenAI's finer `retry-after-ms`. */
export function retryAfterMs({ responseHeaders = {} }: APICallError): number | undefined {
  const milliseconds = Number.parseFloat(responseHeaders["retry-after-ms"] ?? "");
  if (milliseconds >= 0) return milliseconds;
  const text = responseHeaders["retry-after"] ?? "";
  const delayMs = /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(delayMs) ? undefined : Math.max(0, delayMs);
}
