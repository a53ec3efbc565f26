import { type CitewellError, toCitewellError } from "../errors.ts";
import { createChannel } from "../lib/channel.ts";
import type { AskEventOf } from "../protocol/ask.ts";
import type { Unavailable } from "../protocol/resource.ts";
import type { Resources } from "../resources/resources.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import type { Following } from "./followed-folders.ts";
import { nameOf, type Target } from "./targets.ts";

export interface OpenTargetsOptions {
  resources: Resources;
  /** Given where what opens is searched, and so indexed. */
  followed?: Following | undefined;
  /** Whether the question named the targets: then each of them must open. */
  areNamed: boolean;
  /** Takes over what opens, at once, so that nothing stays open however the question ends. */
  own: (snapshot: Snapshot) => void;
  signal: AbortSignal;
}

export interface OpenedTargets {
  snapshots: readonly Snapshot[];
  unavailable: readonly { resource: string; error: CitewellError }[];
}

/** For a reply. */
export function describeUnavailable(unavailable: OpenedTargets["unavailable"]): { unavailable?: Unavailable[] } {
  const left = unavailable.map(({ resource, error }) => ({ resource, tag: error.tag, error: error.message }));
  return left.length === 0 ? {} : { unavailable: left };
}

/**
 * Opens all targets at once, yielding progress while they arrive. Those that the question did not name are left out
 * where they do not open, as long as one does.
 */
export async function* openTargets(
  targets: readonly Target[],
  { resources, followed, areNamed, own, signal }: OpenTargetsOptions,
): AsyncGenerator<AskEventOf<"progress">, OpenedTargets> {
  const progress = createChannel<AskEventOf<"progress">>();
  const failing = new AbortController();
  const opening = targets.map(async (target) => {
    const resource = nameOf(target);
    try {
      const opened = await resources.open(target, {
        signal: AbortSignal.any([signal, failing.signal]),
        onProgress: (step) => progress.push({ type: "progress", resource, ...step }),
      });
      const snapshot = followed?.asked(target, opened) ?? opened;
      own(snapshot);
      return snapshot;
    } catch (error) {
      if (areNamed) failing.abort(error);
      return { resource, error: toCitewellError(error) };
    }
  });
  const settled = Promise.all(opening).finally(() => progress.close());
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
