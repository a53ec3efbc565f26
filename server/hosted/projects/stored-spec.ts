import * as z from "zod";
import type { UnreadableResource } from "../../protocol/hosted.ts";
import { kindNames, servedKinds } from "../../protocol/kinds/names.ts";
import { ResourceSpec } from "../../protocol/resource.ts";
import { describeIssues, quoteValue } from "../../protocol/validation.ts";

/** A row of the table of resources. Another version of the service may have written it. */
export const StoredResource = z.object({ name: z.string(), spec: z.looseObject({ type: z.string() }) });

/** What a row means; or why this version of the service cannot use it. */
export function readStored({
  name,
  spec,
}: z.infer<typeof StoredResource>): { spec: ResourceSpec } | { unreadable: UnreadableResource } {
  const { type } = spec;
  const unreadable = (reason: string) => ({ unreadable: { name, type, reason } });
  if (!kindNames.some((known) => known === type)) {
    return unreadable(`this version of the service does not know resources of the type ${quoteValue(type)}`);
  }
  if (!servedKinds.some((served) => served === type)) return unreadable(`${type} resources are not offered here`);
  const { data, error } = ResourceSpec.safeParse(spec);
  return data === undefined ? unreadable(`its settings are invalid: ${describeIssues(error, spec)}`) : { spec: data };
}
