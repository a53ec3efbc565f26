import type { Input } from "../protocol/operations.ts";
import type { ResourceList } from "../protocol/resource.ts";
import { toListing } from "../resources/listing.ts";
import type { Call, Context } from "./context.ts";
import { knownTo, originsOf } from "./known-resources.ts";

/** Uses no network. */
export async function listResources(
  { scope }: Input<"listResources">,
  { tenant }: Context,
  { signal }: Call,
): Promise<ResourceList> {
  const { config, resources, followed } = tenant;
  const known = await knownTo(tenant);
  const originOf = originsOf(known);
  const listings = (scope === "configured" ? config.resources : known.named).map(async (spec) => {
    const state = await resources.describe(spec, { signal });
    const indexed = await followed?.indexedShareOf(spec);
    return {
      ...toListing(spec, { state, origin: originOf(spec) }),
      ...(indexed === undefined ? {} : { indexed }),
    };
  });
  return { resources: await Promise.all(listings) };
}
