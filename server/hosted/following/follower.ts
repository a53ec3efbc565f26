import { setTimeout as sleep } from "node:timers/promises";
import { CitewellError, messageOf } from "../../errors.ts";
import type { Log } from "../../lib/log.ts";
import { refreshDueRights } from "../github/member-rights.ts";
import { dueChannel } from "../jobs/queue.ts";
import { listHolding, releaseHeld } from "../jobs/held.ts";
import { toPublicError } from "../public-error.ts";
import { claimRun, endRun, releaseRun, renewRun, type Run, runFollowing, type RunServices } from "./run.ts";

/** What a follower needs. */
export interface FollowerOptions extends RunServices {
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
  const closing = new AbortController();
  let wake = () => {};
  let isAwake = true;
  const wakeUp = () => {
    isAwake = true;
    wake();
  };

  async function work(): Promise<void> {
    while (!closing.signal.aborted) {
      isAwake = false;
      try {
        await refreshDueRights({ ...options, signal: closing.signal });
        for (const project of await listHolding(store)) await releaseHeld(store, project);
        for (let run = await claimRun(store, { leaseMs }); run !== undefined;) {
          await carryOut(run, { ...options, leaseMs, closing: closing.signal });
          run = closing.signal.aborted ? undefined : await claimRun(store, { leaseMs });
        }
      } catch (error) {
        log.warn("followed-accounts-unavailable", { error: messageOf(error) });
      }
      if (!isAwake) await nextWake();
    }
  }

  async function nextWake(): Promise<void> {
    const waiting = new AbortController();
    wake = () => waiting.abort();
    await sleep(pollMs, undefined, { signal: waiting.signal, ref: false }).catch(() => {});
  }

  const listening = await store.listen(dueChannel, wakeUp);
  const loop = work();
  let ended: Promise<void> | undefined;
  const end = async () => {
    closing.abort(new CitewellError("Cancelled", "the service is being stopped"));
    wakeUp();
    await loop;
    await listening[Symbol.asyncDispose]();
  };
  return { [Symbol.asyncDispose]: () => (ended ??= end()) };
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
