import { type CitewellError, toCitewellError } from "../errors.ts";
import { createChannel } from "../lib/channel.ts";
import type { AskEventOf } from "../protocol/ask.ts";
import type { ErrorKind } from "../protocol/error-tags.ts";
import type { Unavailable } from "../protocol/resource.ts";
import type { Resources } from "../resources/resources.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import type { Following } from "./followed-folders.ts";
import { nameOf, type Target } from "./targets.ts";

/** How long a request waits for resources that must be fetched, in milliseconds; undefined: until they are there. */
export interface Patience {
  /** The time for those that it names, and for the only one that it is about. */
  namedMs: number | undefined;
  /** The time for each of several that it does not name: the others answer without it. */
  unnamedMs: number;
}

/** A person sees the progress of a fetch; a first clone usually takes less. */
export const usualPatience: Patience = { namedMs: undefined, unnamedMs: 20_000 };

export interface OpenTargetsOptions {
  resources: Pick<Resources, "open">;
  patience: Patience;
  /** Given where what opens is searched, and so indexed. */
  followed?: Following | undefined;
  /** Whether the question named the targets: then it fails if one of them does not exist. */
  areNamed: boolean;
  /** Takes over what opens, at once, so that nothing stays open however the question ends. */
  own: (snapshot: Snapshot) => void;
  signal: AbortSignal;
}

export interface OpenedTargets {
  snapshots: readonly Snapshot[];
  unavailable: readonly { resource: string; error: CitewellError }[];
}

/** Describes them for a reply. */
export function describeUnavailable(unavailable: OpenedTargets["unavailable"]): { unavailable?: Unavailable[] } {
  const left = unavailable.map(({ resource, error }) => ({ resource, tag: error.tag, error: error.message }));
  return left.length === 0 ? {} : { unavailable: left };
}

/** How long a request waits for each of its targets. */
export function waitFor(
  targets: readonly Target[],
  { areNamed, patience }: Pick<OpenTargetsOptions, "areNamed" | "patience">,
): number | undefined {
  return areNamed || targets.length === 1 ? patience.namedMs : patience.unnamedMs;
}

/**
 * Opens all targets at once, yielding progress while they arrive. Those that do not open in time are left out, as long
 * as one does; a named one that does not exist is a mistake in the question. While none has opened, those that are
 * still being fetched are awaited as if they were named.
 */
export async function* openTargets(
  targets: readonly Target[],
  { resources, patience, followed, areNamed, own, signal }: OpenTargetsOptions,
): AsyncGenerator<AskEventOf<"progress">, OpenedTargets> {
  const progress = createChannel<AskEventOf<"progress">>();
  const failing = new AbortController();
  const open = async (target: Target, waitMs: number | undefined) => {
    const resource = nameOf(target);
    try {
      const opened = await resources.open(target, {
        signal: AbortSignal.any([signal, failing.signal]),
        waitMs,
        onProgress: (step) => progress.push({ type: "progress", resource, ...step }),
      });
      const snapshot = followed?.asked(target, opened) ?? opened;
      own(snapshot);
      return snapshot;
    } catch (error) {
      const failure = toCitewellError(error);
      if (areNamed && !mayHeal.has(failure.kind)) failing.abort(failure);
      return { resource, error: failure };
    }
  };
  const openAll = async () => {
    const waitMs = waitFor(targets, { areNamed, patience });
    const results = await Promise.all(targets.map((target) => open(target, waitMs)));
    if (waitMs === patience.namedMs || results.some((result) => "read" in result)) return results;
    const isLate = (result: (typeof results)[number]) => "error" in result && result.error.tag === "NotReadyYet";
    return Promise.all(
      targets.map(async (target, index) => {
        const result = results[index];
        return result === undefined || isLate(result) ? open(target, patience.namedMs) : result;
      }),
    );
  };
  const settled = openAll().finally(() => progress.close());
  try {
    yield* progress;
    const results = await settled;
    signal.throwIfAborted();
    failing.signal.throwIfAborted();
    const snapshots = results.filter((result) => "read" in result);
    const unavailable = results.filter((result) => "error" in result);
    if (snapshots.length === 0 && unavailable[0] !== undefined) throw unavailable[0].error;
    return { snapshots, unavailable };
  } finally {
    failing.abort();
    await settled;
  }
}

/** Faults of a host, the network or this machine, not of the name. */
const mayHeal: ReadonlySet<ErrorKind> = new Set(["resource", "resource-timeout"]);

/** The same for those who show no progress. */
export async function openTargetsQuietly(
  targets: readonly Target[],
  options: OpenTargetsOptions,
): Promise<OpenedTargets> {
  const opening = openTargets(targets, options);
  let step = await opening.next();
  while (step.done !== true) step = await opening.next();
  return step.value;
}
