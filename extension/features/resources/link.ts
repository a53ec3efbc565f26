import { parseCitewellUrl } from "../../../server/protocol/citation.ts";
import { limits } from "../../../server/protocol/resource-fields.ts";
import { ResourceSpec } from "../../../server/protocol/resource.ts";
import { parseTyped } from "../../../server/protocol/typed-reference.ts";
import { kindOf, type OneOff } from "../../../server/protocol/kinds/kinds.ts";
import { isOneOff } from "../../../server/protocol/reference.ts";
import { specOf } from "./spec.ts";

export type Link =
  | { type: "add"; reference: OneOff }
  | { type: "open"; citation: NonNullable<ReturnType<typeof parseCitewellUrl>> };

/**
 * What a link from elsewhere asks for: `/add?url=…`, `/add?package=…`, `/open?cite=…`; undefined for anything else.
 * Anybody can write one: it can name what is on the network, and nothing that is on this computer.
 */
export function readLink({ path, query }: { path: string; query: string }): Link | undefined {
  const values = new URLSearchParams(query);
  if (path === "/add") return addLink(values.get("url"), values.get("package"));
  if (path !== "/open") return undefined;
  const citation = parseCitewellUrl(values.get("cite") ?? "");
  return citation === undefined ? undefined : { type: "open", citation };
}

/** One of the two, and only what a resource may be. */
function addLink(url: string | null, name: string | null): Link | undefined {
  if ((url === null) === (name === null)) return undefined;
  const text = url ?? `npm:${name}`;
  if (text.length > limits.urlLength) return undefined;
  const reference = parseTyped(text);
  if (!isOneOff(reference) || !kindOf(reference).isFetched) return undefined;
  const isValid = ResourceSpec.safeParse(specOf(reference, { name: "checked" })).success;
  return isValid ? { type: "add", reference } : undefined;
}
