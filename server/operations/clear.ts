import type { Nothing, Output } from "../protocol/operations.ts";
import type { Context } from "./context.ts";

/** Removes what was fetched for this tenant and is not being read. */
export async function clear(_input: Nothing, { tenant }: Context): Promise<Output<"clear">> {
  return tenant.resources.clear();
}
