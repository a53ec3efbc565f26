import { once } from "node:events";

/** Settles with `promise`, or rejects with the signal's reason on abort. Does not stop the work behind the promise. */
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
