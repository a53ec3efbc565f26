import { CitewellError, messageOf } from "../../errors.ts";
import type { Log } from "../../lib/log.ts";
import type { ErrorTag } from "../../protocol/error-tags.ts";
import type { FetchProgress } from "../../protocol/hosted.ts";
import type { Store } from "../store/store.ts";
import { toPublicError } from "../public-error.ts";
import { type Round, startPolling } from "./polling.ts";
import { createProgressWriter } from "./progress.ts";
import {
  claimJob,
  completeJob,
  expireLeases,
  failJob,
  type Job,
  releaseJob,
  renewLease,
  requestDailyFetches,
  waitingChannel,
  writeProgress,
} from "./queue.ts";

/** What a worker needs. */
export interface WorkerOptions {
  store: Store;
  /** Fetches the newest revision of a resource. It may be started twice, also at the same time. */
  fetch(
    job: Pick<Job, "project" | "resource">,
    options: { signal: AbortSignal; onProgress: (progress: FetchProgress) => void },
  ): Promise<unknown>;
  /** Deletes what has expired; called every five minutes. */
  deleteExpired?(): Promise<void>;
  log: Log;
  onEnd?: (outcome: "fetched" | "failed" | "returned", ms: number) => void;
  /** How many fetches run at a time in this process. */
  concurrency?: number;
  /** The milliseconds without a sign of life after which a job is taken over. */
  leaseMs?: number | undefined;
}

const usualConcurrency = 4;
const usualLeaseMs = 20_000;
const pollMs = 5000;
const dailyCheckMs = 300_000;
const jobLimitMs = 15 * 60_000;

/**
 * Runs the fetches that wait in the database, until it is disposed of: then running ones are cancelled and wait
 * again. Several processes may run one each.
 *
 * It does not fetch itself: `fetch` does, and may be started twice for one job. Retries, leases and daily fetches are
 * SQL in `queue.ts`. Decision 21 has the reasons.
 */
export async function startWorker(options: WorkerOptions): Promise<AsyncDisposable> {
  const {
    store,
    log,
    concurrency = usualConcurrency,
    leaseMs = usualLeaseMs,
    deleteExpired = async () => {},
  } = options;
  const running = new Set<Promise<void>>();
  let checkedAt = -Infinity;

  async function work({ signal: closing, wake }: Round): Promise<void> {
    if (performance.now() - checkedAt > dailyCheckMs) {
      await requestDailyFetches(store);
      await deleteExpired();
      checkedAt = performance.now();
    }
    while (running.size < concurrency && !closing.aborted) {
      const job = await claimJob(store, { leaseMs });
      if (job === undefined) return;
      const run = runJob(job, { ...options, leaseMs, closing }).finally(() => {
        running.delete(run);
        wake();
      });
      running.add(run);
    }
  }

  if (store.isExclusive) await expireLeases(store);
  const polling = await startPolling(work, {
    store,
    channel: waitingChannel,
    pauseMs: pollMs,
    onFailure: (error) => log.warn("jobs-unavailable", { error: messageOf(error) }),
  });
  return {
    async [Symbol.asyncDispose]() {
      await polling[Symbol.asyncDispose]();
      await Promise.all(running);
    },
  };
}

type RunOptions = Pick<WorkerOptions, "store" | "fetch" | "log" | "onEnd"> & { leaseMs: number; closing: AbortSignal };

async function runJob(job: Job, { store, fetch, log, onEnd, leaseMs, closing }: RunOptions): Promise<void> {
  const { project, resource } = job;
  const lost = new AbortController();
  const renew = async () => {
    try {
      if (await renewLease(store, job, { leaseMs })) return;
      lost.abort(new CitewellError("Cancelled", "another process fetches the resource"));
    } catch (error) {
      log.warn("job-lease-not-renewed", { project, resource, error: messageOf(error) });
    }
  };
  const renewing = setInterval(() => void renew(), leaseMs / 4);
  const record = (progress: FetchProgress) =>
    writeProgress(store, job, progress).catch((error: unknown) => {
      log.warn("job-progress-not-written", { project, resource, error: messageOf(error) });
    });
  const startedAt = performance.now();
  const elapsedMs = () => Math.round(performance.now() - startedAt);
  try {
    // It may have been claimed while the worker was stopped.
    closing.throwIfAborted();
    const limit = AbortSignal.timeout(jobLimitMs);
    const signal = AbortSignal.any([closing, lost.signal, limit]);
    await using progress = createProgressWriter(record);
    await fetch({ project, resource }, { signal, onProgress: (step) => progress.report(step) });
    await completeJob(store, job);
    log.info("resource-fetched", { project, resource, ms: elapsedMs() });
    onEnd?.("fetched", elapsedMs());
  } catch (error) {
    onEnd?.(closing.aborted ? "returned" : "failed", elapsedMs());
    await endFailed(job, error, { store, log, closing });
  } finally {
    clearInterval(renewing);
  }
}

/** Failures that another try would only repeat, at the cost of its traffic and time. */
const hopeless: ReadonlySet<ErrorTag> = new Set([
  "ResourceTooLarge",
  "PackageUnreadable",
  "PackageNotFound",
  "ResourceNotOffered",
  "SearchPathNotFound",
  "VersionNotFound",
]);

/** If the database is away, the lease expires and the job is run again. */
async function endFailed(
  job: Job,
  error: unknown,
  { store, log, closing }: Pick<RunOptions, "store" | "log" | "closing">,
): Promise<void> {
  const { project, resource } = job;
  const { tag, message } = toPublicError(error);
  try {
    if (closing.aborted) await releaseJob(store, job);
    else await failJob(store, job, message, { isFinal: hopeless.has(tag), tag });
    log.info(closing.aborted ? "job-released" : "resource-not-fetched", { project, resource, error: messageOf(error) });
  } catch (databaseError) {
    log.warn("job-not-ended", { project, resource, error: messageOf(databaseError) });
  }
}
