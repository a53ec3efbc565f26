import { createChannel } from "../lib/channel.ts";
import type { RefreshEvent } from "../protocol/resource.ts";
import { toListing } from "../resources/listing.ts";
import type { Input } from "../protocol/operations.ts";
import type { Call, Context } from "./context.ts";
import { knownTo, originsOf } from "./known-resources.ts";
import { requireKnown } from "./targets.ts";

/**
 * Fetches the newest revision of a resource, whatever its policy; the last event has its state afterwards. Leaving the
 * stream stops the fetch.
 * @throws ResourceNotFound, and what opening throws: then the revision on disk stays
 */
export async function* refreshResource(
  { name }: Input<"refreshResource">,
  { tenant }: Context,
  { signal }: Call,
): AsyncGenerator<RefreshEvent> {
  const { resources } = tenant;
  const known = await knownTo(tenant);
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
  yield { type: "done", resource: toListing(spec, { state, origin: originsOf(known)(spec) }) };
}
