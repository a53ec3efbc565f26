import * as z from "zod";
import { firstRow } from "../store/rows.ts";
import type { Queries } from "../store/store.ts";

const Head = z.object({ revision: z.string(), changedAt: z.number() });

/** The revision of a source that a worker fetched last; undefined for a source that none has fetched. */
export async function readHead(
  { query }: Pick<Queries, "query">,
  source: string,
): Promise<z.infer<typeof Head> | undefined> {
  const result = await query(
    `select revision, extract(epoch from changed_at)::float8 * 1000 as "changedAt" from snapshot_head where source = $1`,
    [source],
  );
  return firstRow(Head, result);
}

/** Records the revision of a source that a worker fetched; returns the one before, if it is another. */
export async function writeHead(
  { query }: Pick<Queries, "query">,
  source: string,
  revision: string,
): Promise<string | undefined> {
  const result = await query(
    `with before as (select revision from snapshot_head where source = $1),
       written as (
         insert into snapshot_head (source, revision) values ($1, $2)
         on conflict (source) do update set revision = $2, changed_at = now() where snapshot_head.revision <> $2)
     select revision from before where revision <> $2`,
    [source, revision],
  );
  return firstRow(Head.pick({ revision: true }), result)?.revision;
}
