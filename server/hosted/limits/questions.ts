import * as z from "zod";
import type { ProjectLimits, ProjectUsage } from "../../protocol/hosted.ts";
import { allRows, firstRow } from "../store/rows.ts";
import type { Engine, Queries } from "../store/store.ts";
import { currentMonth, lockQuestions, microsPerUsd, readLimits, readUsage } from "./project-limits.ts";
import { limitReached } from "./refusal.ts";

/** What one question may use at most, or has used. */
export interface QuestionUse {
  tokens: number;
  costUsd: number;
}

/** Whose question it is: a project, and the key or account that asks (`key:<id>`, `account:<id>`). */
export interface Asker {
  project: string;
  actor: string;
}

/** A question that may run. */
export interface StartedQuestion {
  id: string;
  /** Upper bounds that the project's limits set: what is reserved. Undefined where it has no limit. */
  bounds: { maxTokens?: number; maxCostUsd?: number };
}

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
  { project, actor }: Asker,
  most: { maxTokens?: number | undefined; maxCostUsd?: number | undefined },
): Promise<StartedQuestion> {
  return lockQuestions(engine, project, async (queries) => {
    await settleExpired(queries, project);
    const limits = await readLimits(queries, project);
    const usage = await readUsage(queries, project);
    const reserved = await readReserved(queries, project);
    requireRunning(limits, usage);
    const { rows } = await queries.query(
      `select extract(epoch from date_trunc('month', now(), 'UTC') + interval '1 month' - now())::int as "retryAfterSeconds",
         to_char((date_trunc('month', now(), 'UTC') + interval '1 month') at time zone 'UTC', 'YYYY-MM-DD') as next`,
    );
    const month = MonthEnd.parse(rows[0]);
    if (limits.questions !== null && usage.questions >= limits.questions) {
      throw monthReached(`${limits.questions} questions a month`, month);
    }
    const tokens = share(limits.tokens, usage.tokens + reserved.tokens, most.maxTokens ?? usualReserve.tokens);
    if (tokens === 0) throw monthReached(`${limits.tokens} tokens a month`, month);
    const costUsd = share(limits.costUsd, usage.costUsd + reserved.costUsd, most.maxCostUsd ?? usualReserve.costUsd);
    if (costUsd === 0) throw monthReached(`US$ ${limits.costUsd} a month`, month);
    const inserted = await queries.query(
      `insert into running_question (project, actor, lease_until, reserved_tokens, reserved_micro_usd)
       values ($1, $2, now() + $3::float8 * interval '1 ms', $4, $5) returning id`,
      [project, actor, questionLeaseMs, Math.floor(tokens ?? 0), Math.floor((costUsd ?? 0) * microsPerUsd)],
    );
    await addUsage(queries, { project, actor }, { questions: 1, tokens: 0, costUsd: 0 });
    const bounds = {
      ...(tokens === undefined ? {} : { maxTokens: Math.floor(tokens) }),
      ...(costUsd === undefined ? {} : { maxCostUsd: costUsd }),
    };
    return { id: z.object({ id: z.string() }).parse(inserted.rows[0]).id, bounds };
  });
}

/** Renews the lease of a running question. */
export async function renewQuestion({ query }: Pick<Queries, "query">, id: string): Promise<void> {
  await query("update running_question set lease_until = now() + $2::float8 * interval '1 ms' where id = $1", [
    id,
    questionLeaseMs,
  ]);
}

/** Ends a question: what it used counts, and the rest of what was reserved is free again. */
export async function settleQuestion(
  engine: Pick<Engine, "tx">,
  project: string,
  { id, use }: { id: string; use: QuestionUse },
): Promise<void> {
  await lockQuestions(engine, project, async (queries) => {
    const deleted = await queries.query("delete from running_question where id = $1 returning actor", [id]);
    const ended = firstRow(z.object({ actor: z.string() }), deleted);
    // Its lease expired, and it was settled with what it had reserved.
    if (ended !== undefined) await addUsage(queries, { project, ...ended }, { questions: 0, ...use });
  });
}

/** What a question of a killed process used is unknown: it counts with what it could have used. */
async function settleExpired(queries: Queries, project: string): Promise<void> {
  const result = await queries.query(
    `delete from running_question where project = $1 and lease_until <= now()
     returning actor, reserved_tokens::float8 as tokens, reserved_micro_usd::float8 / ${microsPerUsd} as "costUsd"`,
    [project],
  );
  for (const { actor, ...use } of allRows(Reserved.extend({ actor: z.string() }), result)) {
    await addUsage(queries, { project, actor }, { questions: 0, ...use });
  }
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

async function addUsage(
  { query }: Queries,
  { project, actor }: Asker,
  { questions, tokens, costUsd }: QuestionUse & { questions: number },
): Promise<void> {
  const use = [questions, Math.round(tokens), Math.round(costUsd * microsPerUsd)];
  await query(
    `insert into usage as u (project, month, questions, tokens, micro_usd)
     values ($1, ${currentMonth}, $2, $3, $4)
     on conflict (project, month) do update set questions = u.questions + $2, tokens = u.tokens + $3,
       micro_usd = u.micro_usd + $4`,
    [project, ...use],
  );
  await query(
    `insert into daily_usage as u (project, day, questions, tokens, micro_usd, actor)
     values ($1, (now() at time zone 'UTC')::date, $2, $3, $4, $5)
     on conflict (project, day, actor) do update set questions = u.questions + $2, tokens = u.tokens + $3,
       micro_usd = u.micro_usd + $4`,
    [project, ...use, actor],
  );
}

/** How much of what is left of a limit one question may use; undefined without a limit. */
function share(limit: number | null, used: number, most: number): number | undefined {
  return limit === null ? undefined : Math.max(0, Math.min(limit - used, most));
}

/** @throws LimitReached */
function requireRunning({ running: limit }: ProjectLimits, { running }: ProjectUsage): void {
  if (limit === null || running < limit) return;
  throw limitReached({
    limit: `${limit} running questions`,
    hint: "ask again when one has ended",
    retryAfterSeconds: runningRetrySeconds,
  });
}

const MonthEnd = z.object({ retryAfterSeconds: z.number(), next: z.string() });

function monthReached(limit: string, { retryAfterSeconds, next }: z.infer<typeof MonthEnd>) {
  return limitReached({
    limit,
    hint: `the next month begins on ${next} (UTC); running questions reserve what they may use`,
    retryAfterSeconds,
  });
}
