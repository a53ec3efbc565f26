import { setTimeout as sleep } from "node:timers/promises";
import type { FetchProgress } from "../../protocol/hosted.ts";

/** Records the progress of a job. Disposing of it waits for a running write. */
export interface ProgressWriter extends AsyncDisposable {
  report(progress: FetchProgress): void;
}

/** Git reports progress several times a second. */
const usualIntervalMs = 1000;

/** Writes the newest progress, at most once in an interval. @param write must not fail */
export function createProgressWriter(
  write: (progress: FetchProgress) => Promise<void>,
  { intervalMs = usualIntervalMs }: { intervalMs?: number } = {},
): ProgressWriter {
  const ended = new AbortController();
  let newest: FetchProgress | undefined;
  let writing: Promise<void> | undefined;
  async function writeNewest(): Promise<void> {
    while (newest !== undefined && !ended.signal.aborted) {
      const progress = newest;
      newest = undefined;
      await write(progress);
      await sleep(intervalMs, undefined, { signal: ended.signal }).catch(() => {});
    }
    writing = undefined;
  }
  return {
    report(progress) {
      newest = progress;
      writing ??= writeNewest();
    },
    async [Symbol.asyncDispose]() {
      ended.abort();
      await writing;
    },
  };
}
