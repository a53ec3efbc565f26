import { FetchState } from "../../protocol/hosted.ts";
import { allRows, Timestamp } from "../store/rows.ts";
import type { Queries } from "../store/store.ts";
import * as z from "zod";

const StateRow = FetchState.extend({
  resource: z.string(),
  since: Timestamp.nullable(),
  nextTryAt: Timestamp.nullable(),
});

/** The state of the fetches of a project, by the name of the resource. */
export async function readFetchStates({ query }: Queries, project: string): Promise<ReadonlyMap<string, FetchState>> {
  const result = await query(
    `select resource, state, failure,
       case state when 'running' then started_at when 'failed' then failed_since when 'waiting' then requested_at
         else finished_at end as since,
       case when state = 'failed' and requested_at is not null then run_at end as "nextTryAt"
     from (
       select *, case when lease_until > now() then 'running' when attempts > 0 and failure is not null then 'failed'
         when requested_at is not null or lease is not null then 'waiting' else 'ready' end as state
       from job where project = $1) j`,
    [project],
  );
  return new Map(allRows(StateRow, result).map(({ resource, ...state }) => [resource, state]));
}
