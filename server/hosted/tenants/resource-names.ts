import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import { nearest } from "../../lib/nearest.ts";
import { quoteValue } from "../../protocol/validation.ts";
import { allRows } from "../store/rows.ts";
import type { Queries } from "../store/store.ts";

/** The names of a project's resources, in alphabetical order. */
export async function listResourceNames({ query }: Pick<Queries, "query">, project: string): Promise<string[]> {
  const result = await query("select name from resource where project = $1 order by name", [project]);
  return allRows(z.object({ name: z.string() }), result).map(({ name }) => name);
}

/** A name with a typing error would make a key that can read nothing. @throws ResourceNotFound */
export async function requireRegistered(
  queries: Pick<Queries, "query">,
  project: string,
  names: readonly string[],
): Promise<void> {
  const registered = await listResourceNames(queries, project);
  const unknown = names.find((name) => !registered.includes(name));
  if (unknown === undefined) return;
  const close = nearest(unknown, registered);
  throw new CitewellError("ResourceNotFound", `no resource named ${quoteValue(unknown)}`, {
    hint: close.length > 0 ? `did you mean ${close.join(" or ")}?` : "the page Resources of the project lists them",
  });
}
