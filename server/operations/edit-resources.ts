import type { Input, Output } from "../protocol/operations.ts";
import { normalizeSpec } from "../protocol/reference.ts";
import type { PlacedResource, ResourceSpec } from "../protocol/resource.ts";
import type { Context } from "./context.ts";

/** @throws ResourceNameTaken, AddressNotAllowed, ConfigInvalid, LockTimeout, StorageFailed */
export async function addResource(spec: ResourceSpec, { tenant }: Context): Promise<ResourceSpec> {
  const normal = normalizeSpec(spec);
  await tenant.configuration.add(normal);
  return normal;
}

/** @throws ResourceNameTaken, AddressNotAllowed, ConfigInvalid, LockTimeout, StorageFailed */
export async function addResourceTo({ resource, savedTo }: PlacedResource, { tenant }: Context): Promise<ResourceSpec> {
  const normal = normalizeSpec(resource);
  await tenant.configuration.add(normal, savedTo);
  return normal;
}

/** @throws ResourceNotFound, AddressNotAllowed, ConfigInvalid, LockTimeout, StorageFailed */
export async function updateResource(spec: ResourceSpec, { tenant }: Context): Promise<ResourceSpec> {
  const normal = normalizeSpec(spec);
  await tenant.configuration.update(normal);
  return normal;
}

/** @throws ResourceNotFound, ConfigInvalid, LockTimeout, StorageFailed */
export async function removeResource(
  { name }: Input<"removeResource">,
  { tenant }: Context,
): Promise<Output<"removeResource">> {
  await tenant.configuration.remove(name);
  return { success: true, name };
}
