import { CitewellError, messageOf } from "../../errors.ts";
import type { Log } from "../../lib/log.ts";
import { refreshDueRights } from "../host-rights/refresh.ts";
import { dueChannel } from "../jobs/queue.ts";
import { listHolding, releaseHeld } from "../jobs/held.ts";
import { type Round, startPolling } from "../jobs/polling.ts";
import type { HostServices } from "../projects/open-host.ts";
import { toPublicError } from "../public-error.ts";
import { claimRun, endRun, releaseRun, renewRun, type Run, runFollowing } from "./run.ts";

/** What a follower needs. */
export interface FollowerOptions extends HostServices {
  log: Log;
  /** The milliseconds without a sign of life after which a run is taken over. */
  leaseMs?: number | undefined;
}

const usualLeaseMs = 30_000;
const pollMs = 60_000;
const runLimitMs = 15 * 60_000;

/**
 * Runs the followed accounts that are due, one at a time, and releases fetches that waited for a limit, until it is disposed
 * of. Several processes may run one each.
 */
export async function startFollower(options: FollowerOptions): Promise<AsyncDisposable> {
  const { store, log, leaseMs = usualLeaseMs } = options;

  async function work({ signal }: Round): Promise<void> {
    await refreshDueRights({ ...options, signal });
    for (const project of await listHolding(store)) await releaseHeld(store, project);
    while (!signal.aborted) {
      const run = await claimRun(store, { leaseMs });
      if (run === undefined) return;
      await carryOut(run, { ...options, leaseMs, closing: signal });
    }
  }

  return startPolling(work, {
    store,
    channel: dueChannel,
    pauseMs: pollMs,
    onFailure: (error) => log.warn("followed-accounts-unavailable", { error: messageOf(error) }),
  });
}

async function carryOut(
  run: Run,
  { leaseMs, closing, ...options }: FollowerOptions & { leaseMs: number; closing: AbortSignal },
): Promise<void> {
  const { store, log } = options;
  const fields = { project: run.project, account: run.id };
  const lost = new AbortController();
  const renew = async () => {
    try {
      if (await renewRun(store, run, leaseMs)) return;
      lost.abort(new CitewellError("Cancelled", "another process follows the account"));
    } catch (error) {
      log.warn("account-lease-not-renewed", { ...fields, error: messageOf(error) });
    }
  };
  const renewing = setInterval(() => void renew(), leaseMs / 4);
  try {
    const signal = AbortSignal.any([closing, lost.signal, AbortSignal.timeout(runLimitMs)]);
    const { listed, added, removed, moved, leftOut, held } = await runFollowing(options, run, { signal });
    await endRun(store, run);
    const counts = { added: added.length, removed: removed.length, moved: moved.length };
    log.info("account-followed", { ...fields, listed, ...counts, leftOut: leftOut.length, held: held.length });
  } catch (error) {
    if (closing.aborted) await releaseRun(store, run);
    else await endRun(store, run, { failure: toPublicError(error).message });
    log.info(closing.aborted ? "account-released" : "account-not-followed", { ...fields, error: messageOf(error) });
  } finally {
    clearInterval(renewing);
  }
}
