import type { Channel } from "../lib/channel.ts";
import type { AskEvent, AskEventOf } from "../protocol/ask.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import type { Retrieval } from "../retrieval/retrieval.ts";

export interface IndexAlongsideOptions {
  snapshots: readonly Snapshot[];
  retrieval: Retrieval;
  /** Takes the progress of the index; what is pushed there is sent between the events. */
  progress: Channel<AskEventOf<"progress">>;
  /** Whether the client asked for progress. */
  isProgressSent: boolean;
  /** Ends what the events come from, which may be in the middle of one. */
  leave: () => void;
}

/** Passes events on while the snapshots are indexed, which ends with them. */
export async function* indexAlongside(
  events: AsyncIterable<AskEvent>,
  { snapshots, retrieval, progress, isProgressSent, leave }: IndexAlongsideOptions,
): AsyncGenerator<AskEvent> {
  const preparing = snapshots.map((snapshot) =>
    retrieval.prepare(snapshot, {
      onProgress(fraction) {
        const { resource } = snapshot;
        if (isProgressSent)
          progress.push({ type: "progress", resource, phase: "index", fraction, message: "indexing" });
      },
    }),
  );
  try {
    yield* alongside<AskEvent>(events, progress, { leave });
  } finally {
    await Promise.all(preparing.map((one) => one[Symbol.asyncDispose]()));
  }
}

/** The values of both as they come, until those of `main` end. */
async function* alongside<Value>(
  main: AsyncIterable<Value>,
  beside: AsyncIterable<Value>,
  { leave }: { leave: () => void },
): AsyncGenerator<Value> {
  const mains = main[Symbol.asyncIterator]();
  const besides = beside[Symbol.asyncIterator]();
  const nextOf = (isMain: boolean) => (isMain ? mains : besides).next().then((step) => ({ ...step, isMain }));
  let next = nextOf(true);
  let extra = nextOf(false);
  try {
    while (true) {
      const { done, value, isMain } = await Promise.race([next, extra]);
      if (done === true) return;
      yield value;
      if (isMain) next = nextOf(true);
      else extra = nextOf(false);
    }
  } finally {
    leave();
    await next.catch(() => {});
    await mains.return?.();
  }
}
