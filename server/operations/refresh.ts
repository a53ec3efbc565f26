import { createChannel } from "../lib/channel.ts";
import type { RefreshEvent } from "../protocol/resource.ts";
import { toListing } from "../resources/listing.ts";
import type { Resources } from "../resources/resources.ts";
import { type KnownResources, originOf } from "./known-resources.ts";
import { requireKnown } from "./targets.ts";

/**
 * Fetches the newest revision of a resource, whatever its policy; the last event says how it stands then. Leaving the
 * stream stops the fetch.
 * @throws ResourceNotFound; what opening throws; then what was on disk stays
 */
export async function* refresh(
  name: string,
  { known, resources, signal }: { known: KnownResources; resources: Resources; signal: AbortSignal },
): AsyncGenerator<RefreshEvent> {
  const spec = requireKnown(name, known.named);
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
  const state = await resources.describe(spec, { signal });
  yield { type: "done", resource: toListing(spec, { state, origin: originOf(spec, known) }) };
}
