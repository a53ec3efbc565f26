import { setTimeout as sleep } from "node:timers/promises";
import { APICallError } from "@ai-sdk/provider";

/** Attempts after the first. Two ride out a hiccup; more would only keep a person waiting. */
const retryLimit = 2;
/** Before the first retry; it doubles, and half of it is chance, so that many clients do not come back at once. */
const firstDelayMs = 500;
/** A provider that asks for more patience than this is not waited for: the person decides. */
const patienceMs = 60_000;

/**
 * Tries again after what may pass: 408, 409, 429, 5xx and a connection that failed, as the AI SDK tells them
 * (`APICallError.isRetryable`), when `Retry-After` says or after a growing delay. Otherwise the error is thrown as it is.
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

export interface Retry {
  error: APICallError;
  /** Which retry comes next, from 1, and how many there are at most. */
  attempt: number;
  limit: number;
  delayMs: number;
}

/** What `Retry-After` asks for (RFC 9110, 10.2.3: seconds or a date), or OpenAI's finer `retry-after-ms`. */
export function retryAfterMs({ responseHeaders = {} }: APICallError): number | undefined {
  const milliseconds = Number.parseFloat(responseHeaders["retry-after-ms"] ?? "");
  if (milliseconds >= 0) return milliseconds;
  const text = responseHeaders["retry-after"] ?? "";
  const delayMs = /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(delayMs) ? undefined : Math.max(0, delayMs);
}
