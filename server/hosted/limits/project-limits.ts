import * as z from "zod";
import { ProjectLimits, ProjectUsage, stricterLimits } from "../../protocol/hosted.ts";
import { firstRow } from "../store/rows.ts";
import type { Queries } from "../store/store.ts";
import { limitReached } from "./refusal.ts";

/** US$ are stored in millionths. */
export const microsPerUsd = 1_000_000;

/** The first day of the current month, by the database's clock. */
export const currentMonth = "date_trunc('month', now(), 'UTC')::date";

const { running, questions, tokens, costUsd, resources } = ProjectLimits.shape;
const StoredLimits = z.object({
  running: running.default(null),
  questions: questions.default(null),
  tokens: tokens.default(null),
  costUsd: costUsd.default(null),
  resources: resources.default(null),
});

/** Who sets limits of a project: the operator of the service, who pays for the model, and the project's owners. */
export interface LimitSets {
  operator: ProjectLimits;
  own: ProjectLimits;
}

/** The limits of a project; null is none. */
export async function readLimitSets({ query }: Pick<Queries, "query">, project: string): Promise<LimitSets> {
  const { rows } = await query("select limits, own_limits from project where id = $1", [project]);
  return limitSetsOf(rows[0]);
}

/** The limits in a row of `project`. */
export function limitSetsOf(row: Record<string, unknown> | undefined): LimitSets {
  return { operator: StoredLimits.parse(row?.["limits"] ?? {}), own: StoredLimits.parse(row?.["own_limits"] ?? {}) };
}

/** The limits that apply to a project; null is none. */
export async function readLimits(queries: Pick<Queries, "query">, project: string): Promise<ProjectLimits> {
  const { operator, own } = await readLimitSets(queries, project);
  return stricterLimits(operator, own);
}

/** Changes the operator's limits that are given; null removes one. */
export async function setLimits(
  { query }: Pick<Queries, "query">,
  project: string,
  limits: Partial<Record<keyof ProjectLimits, number | null | undefined>>,
): Promise<void> {
  await query("update project set limits = limits || $2::jsonb where id = $1", [project, JSON.stringify(limits)]);
}

/** Replaces the owners' limits. */
export async function setOwnLimits(
  { query }: Pick<Queries, "query">,
  project: string,
  limits: ProjectLimits,
): Promise<void> {
  await query("update project set own_limits = $2::jsonb where id = $1", [project, JSON.stringify(limits)]);
}

/** What a project uses now and has used this month, without what running questions have reserved. */
export async function readUsage({ query }: Pick<Queries, "query">, project: string): Promise<ProjectUsage> {
  const result = await query(
    `select to_char(now() at time zone 'UTC', 'YYYY-MM') as month,
       (select count(*)::int from running_question where project = $1 and lease_until > now()) as running,
       coalesce(u.questions, 0) as questions, coalesce(u.tokens, 0)::float8 as tokens,
       coalesce(u.micro_usd, 0)::float8 / ${microsPerUsd} as "costUsd",
       (select count(*)::int from resource where project = $1) as resources
     from (select 1) one left join usage u on u.project = $1 and u.month = ${currentMonth}`,
    [project],
  );
  return ProjectUsage.parse(result.rows[0]);
}

/**
 * Refuses another resource if a project has as many as it may. Call it in the transaction that adds one.
 * @param limit of the project
 * @throws OperationNotAllowed
 */
export async function requireResource({ query }: Queries, project: string, limit: number | null): Promise<void> {
  if (limit === null) return;
  await query("select pg_advisory_xact_lock(hashtextextended($1, 1))", [project]);
  const counted = await query("select count(*)::int as count from resource where project = $1", [project]);
  const { count = 0 } = firstRow(z.object({ count: z.number() }), counted) ?? {};
  if (count < limit) return;
  throw limitReached({
    limit: `${limit} resources`,
    hint: "remove one, or ask an owner or the operator for a higher limit",
  });
}
