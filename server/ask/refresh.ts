import { createChannel } from "../lib/channel.ts";
import type { RefreshEvent, ResourceSpec } from "../protocol/resource.ts";
import { toListing } from "../resources/listing.ts";
import type { Resources } from "../resources/resources.ts";

/**
 * Fetches the newest revision of a resource, whatever its policy; the last event says how it stands then. Leaving the
 * stream stops the fetch.
 * @throws what opening throws; then what was on disk stays
 */
export async function* refresh(
  spec: ResourceSpec,
  { resources, signal }: { resources: Resources; signal: AbortSignal },
): AsyncGenerator<RefreshEvent> {
  const progress = createChannel<RefreshEvent>();
  const leaving = new AbortController();
  const fetching = resources
    .refresh(spec, {
      signal: AbortSignal.any([signal, leaving.signal]),
      onProgress: (step) => progress.push({ type: "progress", resource: spec.name, ...step }),
    })
    .finally(() => progress.close());
  try {
    yield* progress;
  } finally {
    leaving.abort();
    await Promise.allSettled([fetching]);
  }
  await fetching;
  yield { type: "done", resource: toListing(spec, await resources.describe(spec, { signal })) };
}
