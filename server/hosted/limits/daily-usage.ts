import * as z from "zod";
import { allRows, firstRow } from "../store/rows.ts";
import type { Queries } from "../store/store.ts";
import { microsPerUsd } from "./project-limits.ts";

const DailyUse = z.object({
  /** The day as `2026-11-03` (UTC). */
  day: z.string(),
  /** `key:<id>` or `account:<id>`. */
  actor: z.string(),
  questions: z.number(),
  tokens: z.number(),
  costUsd: z.number(),
  withoutEvidence: z.number(),
  slow: z.number(),
  failed: z.number(),
});
/** What a key or an account used on a day. All but the number of questions counts when a question ends. */
export type DailyUse = z.infer<typeof DailyUse>;

const ResourceUse = DailyUse.pick({ questions: true, withoutEvidence: true, slow: true, failed: true }).extend({
  resource: z.string(),
});
/** How many questions were about a resource, and how they ended. A question about several counts for each. */
export type ResourceUse = z.infer<typeof ResourceUse>;

const ClientUse = DailyUse.omit({ day: true, actor: true }).extend({ client: z.string() });
/** What a client program used, or what the service calls one (`ownClients`). */
export type ClientUse = z.infer<typeof ClientUse>;

/** Days from one to before another, as `2026-11-01`. */
export interface Days {
  from: string;
  before: string;
}

/** The days of a month. @param month as `2026-11` */
export function daysOfMonth(month: string): Days {
  const next = new Date(`${month}-01`);
  next.setUTCMonth(next.getUTCMonth() + 1);
  return { from: `${month}-01`, before: next.toISOString().slice(0, "2026-11-01".length) };
}

/** The questions of some days by resource, the most asked first. */
export async function readResourceUsage(
  { query }: Pick<Queries, "query">,
  project: string,
  { from, before }: Days,
): Promise<ResourceUse[]> {
  const result = await query(
    `select resource, sum(questions)::int as questions, sum(without_evidence)::int as "withoutEvidence",
       sum(slow)::int as slow, sum(failed)::int as failed
     from daily_resource_usage where project = $1 and day >= $2::date and day < $3::date
     group by resource order by sum(questions) desc, resource`,
    [project, from, before],
  );
  return allRows(ResourceUse, result);
}

/** The use of some days by client program, the one that asked most first. */
export async function readClientUsage(
  { query }: Pick<Queries, "query">,
  project: string,
  { from, before }: Days,
): Promise<ClientUse[]> {
  const result = await query(
    `select client, sum(questions)::int as questions, sum(tokens)::float8 as tokens,
       sum(micro_usd)::float8 / ${microsPerUsd} as "costUsd", sum(without_evidence)::int as "withoutEvidence",
       sum(slow)::int as slow, sum(failed)::int as failed
     from daily_client_usage where project = $1 and day >= $2::date and day < $3::date
     group by client order by sum(questions) desc, client`,
    [project, from, before],
  );
  return allRows(ClientUse, result);
}

/** The use of a project, by day. */
export async function readDailyUsage(
  { query }: Pick<Queries, "query">,
  project: string,
  { from, before }: Days,
): Promise<DailyUse[]> {
  const result = await query(
    `select to_char(day, 'YYYY-MM-DD') as day, actor, questions, tokens::float8 as tokens,
       micro_usd::float8 / ${microsPerUsd} as "costUsd", without_evidence as "withoutEvidence", slow, failed
     from daily_usage where project = $1 and day >= $2::date and day < $3::date
     order by day, actor`,
    [project, from, before],
  );
  return allRows(DailyUse, result);
}

/** The first month with any use, as `2026-11`; undefined before the first question. */
export async function firstUsedMonth({ query }: Pick<Queries, "query">, project: string): Promise<string | undefined> {
  const result = await query("select to_char(min(day), 'YYYY-MM') as month from daily_usage where project = $1", [
    project,
  ]);
  return firstRow(z.object({ month: z.string().nullable() }), result)?.month ?? undefined;
}
