import * as z from "zod";
import { type ProjectLimits, stricterLimits } from "../../protocol/hosted.ts";
import { firstRow } from "../store/rows.ts";
import { type Engine, idLiteral, type Queries } from "../store/store.ts";
import { mostClients, ownClients } from "./clients.ts";
import { currentMonth, limitSetsOf, microsPerUsd } from "./project-limits.ts";
import { limitReached } from "./refusal.ts";

/** What one question may use at most, or has used. */
export interface QuestionUse {
  tokens: number;
  costUsd: number;
}

/** How a question ended, as it is counted. A question whose client left, or whose process was killed, has none of these. */
export interface QuestionOutcome {
  /** Nothing that was read proves the answer. */
  isWithoutEvidence?: boolean;
  /** It took longer than `slowMs`. */
  isSlow?: boolean;
  isFailed?: boolean;
  /** The names of the resources that it named or, if it named none, whose lines its answer cites. */
  resources?: readonly string[];
}

/** A question that took longer is counted as slow. `deploy/alerts.yaml` has the same bound. */
export const slowMs = 25_000;

/** Whose question it is: a project, and the key or account that asks (`key:<id>`, `account:<id>`). */
export interface Asker {
  project: string;
  actor: string;
  /** The program that asks, as `clientName` or `ownClients` names it; by default, it is unknown. */
  client?: string | undefined;
}

/** A question that may run. */
export interface StartedQuestion {
  id: string;
  /** Upper bounds that the project's limits set: what is reserved. Undefined where it has no limit. */
  bounds: { maxTokens?: number; maxCostUsd?: number };
}

const StartedRow = z.object({ id: z.string() });
/** What is reserved for a question that the operator's configuration does not bound, if the project's limit is higher. */
const usualReserve = { tokens: 200_000, costUsd: 1 };
/** If a lease is not renewed for this long, its process was killed. */
export const questionLeaseMs = 60_000;
/** A running question usually ends within some seconds. */
const runningRetrySeconds = 5;

/**
 * Counts a question and reserves what it may use, so that questions that run together do not exceed the limits either. It
 * must be ended with `settleQuestion`.
 * @param most what the operator's configuration allows one question
 * @throws LimitReached
 */
export async function reserveQuestion(
  engine: Pick<Engine, "tx">,
  { project, actor, client = ownClients.unknown }: Asker,
  most: { maxTokens?: number | undefined; maxCostUsd?: number | undefined },
): Promise<StartedQuestion> {
  // Serialized, so that two questions cannot both use the same remainder. Independent statements are sent together.
  const lock = `select pg_advisory_xact_lock(hashtextextended(${idLiteral(project)}, 2))`;
  return engine.tx(async (queries) => {
    const [, budget] = await Promise.all([settleExpired(queries, project), readBudget(queries, project)]);
    const { limits } = budget;
    requireRunning(limits, budget);
    if (limits.questions !== null && budget.questions >= limits.questions) {
      throw monthReached(`${limits.questions} questions a month`, budget);
    }
    const tokens = share(limits.tokens, budget.tokens, most.maxTokens ?? usualReserve.tokens);
    if (tokens === 0) throw monthReached(`${limits.tokens} tokens a month`, budget);
    const costUsd = share(limits.costUsd, budget.costUsd, most.maxCostUsd ?? usualReserve.costUsd);
    if (costUsd === 0) throw monthReached(`US$ ${limits.costUsd} a month`, budget);
    const started = await queries.query(
      `with started as (
         insert into running_question (project, actor, lease_until, reserved_tokens, reserved_micro_usd, client)
         values ($1, $2, now() + $3::float8 * interval '1 ms', $4, $5, ${countedClient})
         returning id, project, actor, client, 1 as questions, 0 as tokens, 0 as micro_usd, ${noOutcome}),
       ${countUse("started")}
       select id from started`,
      [project, actor, questionLeaseMs, Math.floor(tokens ?? 0), Math.floor((costUsd ?? 0) * microsPerUsd), client],
    );
    const bounds = {
      ...(tokens === undefined ? {} : { maxTokens: Math.floor(tokens) }),
      ...(costUsd === undefined ? {} : { maxCostUsd: costUsd }),
    };
    return { id: StartedRow.parse(started.rows[0]).id, bounds };
  }, lock);
}

/** Renews the lease of a running question. */
export async function renewQuestion({ query }: Pick<Queries, "query">, id: string): Promise<void> {
  await query("update running_question set lease_until = now() + $2::float8 * interval '1 ms' where id = $1", [
    id,
    questionLeaseMs,
  ]);
}

/** Ends a question: what it used and how it ended count, and the rest of what was reserved is free again. */
export async function settleQuestion(
  { query }: Pick<Queries, "query">,
  { id, use: { tokens, costUsd }, outcome = {} }: { id: string; use: QuestionUse; outcome?: QuestionOutcome },
): Promise<void> {
  const { isWithoutEvidence = false, isSlow = false, isFailed = false, resources = [] } = outcome;
  // No row is deleted if the lease expired: the question was then settled with its whole reservation.
  await query(
    `with ended as (
       delete from running_question where id = $1
       returning project, actor, client, 0 as questions, $2::bigint as tokens, $3::bigint as micro_usd,
         $4::int as without_evidence, $5::int as slow, $6::int as failed),
     by_resource as (
       insert into daily_resource_usage as u (project, day, resource, questions, without_evidence, slow, failed)
       select e.project, ${today}, r.name, 1, e.without_evidence, e.slow, e.failed
       from ended e join resource r on r.project = e.project and r.name = any ($7::text[])
       on conflict (project, day, resource) do update set questions = u.questions + 1, ${addOutcomes}),
     ${countUse("ended")}
     select from ended`,
    [
      id,
      Math.round(tokens),
      Math.round(costUsd * microsPerUsd),
      Number(isWithoutEvidence),
      Number(isSlow),
      Number(isFailed),
      resources,
    ],
  );
}

/** What a question of a killed process used is unknown: it counts with what it could have used. */
async function settleExpired({ query }: Queries, project: string): Promise<void> {
  await query(
    `with ended as (
       delete from running_question where project = $1 and lease_until <= now()
       returning project, actor, client, 0 as questions, reserved_tokens as tokens, reserved_micro_usd as micro_usd,
         ${noOutcome}),
     ${countUse("ended")}
     select from ended`,
    [project],
  );
}

const today = "(now() at time zone 'UTC')::date";
/** Of a project ($1), the client ($6), or `other` if it has as many names this month. */
const countedClient = `(
  select case when $6::text like ':%' or $6 = any (known) or cardinality(known) < ${mostClients} then $6
    else '${ownClients.other}' end
  from (select coalesce(array_agg(distinct client) filter (where client not like ':%'), '{}') from daily_client_usage
    where project = $1 and day >= ${currentMonth}) names (known))`;
const noOutcome = "0 as without_evidence, 0 as slow, 0 as failed";
const addOutcomes = `without_evidence = u.without_evidence + excluded.without_evidence, slow = u.slow + excluded.slow,
  failed = u.failed + excluded.failed`;

/**
 * Adds the rows of a query to the usage of the month and of the day. PostgreSQL runs the later of several such parts first, so
 * every statement locks the month before what it counts by day, which prevents deadlocks.
 */
function countUse(from: string): string {
  const sums = "sum(questions), sum(tokens), sum(micro_usd)";
  const add = `questions = u.questions + excluded.questions, tokens = u.tokens + excluded.tokens,
    micro_usd = u.micro_usd + excluded.micro_usd`;
  return `by_client as (
      insert into daily_client_usage as u
        (project, day, client, questions, tokens, micro_usd, without_evidence, slow, failed)
      select project, ${today}, client, ${sums}, sum(without_evidence), sum(slow), sum(failed)
      from ${from} group by project, client
      on conflict (project, day, client) do update set ${add}, ${addOutcomes}),
    daily as (
      insert into daily_usage as u (project, day, actor, questions, tokens, micro_usd, without_evidence, slow, failed)
      select project, ${today}, actor, ${sums}, sum(without_evidence), sum(slow), sum(failed)
      from ${from} group by project, actor
      on conflict (project, day, actor) do update set ${add}, ${addOutcomes}),
    monthly as (
      insert into usage as u (project, month, questions, tokens, micro_usd)
      select project, ${currentMonth}, ${sums} from ${from} group by project
      on conflict (project, month) do update set ${add})`;
}

const BudgetRow = z.object({
  running: z.number(),
  questions: z.number(),
  /** Used and reserved, as `costUsd`. */
  tokens: z.number(),
  costUsd: z.number(),
  retryAfterSeconds: z.number(),
  next: z.string(),
});
/** The usage of a project, and when the next month begins. */
type Budget = z.infer<typeof BudgetRow> & { limits: ProjectLimits };

/** One statement, so that a question that ends meanwhile is counted once: by its usage or by its reservation. */
async function readBudget({ query }: Queries, project: string): Promise<Budget> {
  const { rows } = await query(
    `select p.limits, p.own_limits, r.running, coalesce(u.questions, 0) as questions,
       (coalesce(u.tokens, 0) + r.tokens)::float8 as tokens,
       (coalesce(u.micro_usd, 0) + r.micro_usd)::float8 / ${microsPerUsd} as "costUsd",
       extract(epoch from date_trunc('month', now(), 'UTC') + interval '1 month' - now())::int as "retryAfterSeconds",
       to_char((date_trunc('month', now(), 'UTC') + interval '1 month') at time zone 'UTC', 'YYYY-MM-DD') as next
     from project p left join usage u on u.project = p.id and u.month = ${currentMonth},
       (select count(*)::int as running, coalesce(sum(reserved_tokens), 0) as tokens,
          coalesce(sum(reserved_micro_usd), 0) as micro_usd from running_question where project = $1) r
     where p.id = $1`,
    [project],
  );
  const { operator, own } = limitSetsOf(rows[0]);
  return { ...BudgetRow.parse(rows[0]), limits: stricterLimits(operator, own) };
}

const Reserved = z.object({ tokens: z.number(), costUsd: z.number() });

/** What the running questions of a project have reserved. */
export async function readReserved({ query }: Pick<Queries, "query">, project: string): Promise<QuestionUse> {
  const result = await query(
    `select coalesce(sum(reserved_tokens), 0)::float8 as tokens,
       coalesce(sum(reserved_micro_usd), 0)::float8 / ${microsPerUsd} as "costUsd"
     from running_question where project = $1`,
    [project],
  );
  return firstRow(Reserved, result) ?? { tokens: 0, costUsd: 0 };
}

/** How much of what is left of a limit one question may use; undefined without a limit. */
function share(limit: number | null, used: number, most: number): number | undefined {
  return limit === null ? undefined : Math.max(0, Math.min(limit - used, most));
}

/** @throws LimitReached */
function requireRunning({ running: limit }: ProjectLimits, { running }: Budget): void {
  if (limit === null || running < limit) return;
  throw limitReached({
    limit: `${limit} running questions`,
    hint: "ask again when one has ended",
    retryAfterSeconds: runningRetrySeconds,
  });
}

function monthReached(limit: string, { retryAfterSeconds, next }: Budget) {
  return limitReached({
    limit,
    hint: `the next month begins on ${next} (UTC); running questions reserve what they may use`,
    retryAfterSeconds,
  });
}
