import type { Nothing, Output } from "../protocol/operations.ts";
import type { Context } from "./context.ts";

/**
 * Removes the fetched snapshots that are not in use. The store that the tenants of a process share is cleared for the
 * user of this computer only; other callers clear their private sources.
 */
export async function clear(_input: Nothing, { caller, tenant }: Context): Promise<Output<"clear">> {
  return tenant.resources.clear({ shared: caller.isLocal });
}
