import { once } from "node:events";

/** What `promise` comes to, or the signal's reason as soon as it aborts. The work behind the promise goes on. */
export async function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return promise;
  const settled = new AbortController();
  const aborted = signal.aborted ? Promise.resolve() : once(signal, "abort", { signal: settled.signal });
  try {
    return await Promise.race([promise, aborted.then(() => Promise.reject<Value>(signal.reason))]);
  } finally {
    settled.abort();
  }
}
