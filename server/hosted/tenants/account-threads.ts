import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import { splitRevision } from "../../protocol/resource-fields.ts";
import { threadTitle } from "../../protocol/thread-title.ts";
import { ThreadSummary } from "../../protocol/threads.ts";
import { parseTurn } from "../../threads/parse-turn.ts";
import type { ThreadStore } from "../../threads/threads.ts";
import { allRows, firstRow, Timestamp } from "../store/rows.ts";
import type { Queries, Store } from "../store/store.ts";

/** Conversations are deleted so many days after their last question. */
export const threadDays = 30;
/** The newest are kept: conversations of an account in a project, and turns of a conversation. */
const mostThreads = 50;
const mostTurns = 100;

/** Of a row of `thread`. */
export const notExpired = `asked_at > now() - interval '${threadDays} days'`;
const columns = `id, title, created_at as "createdAt", asked_at as "updatedAt"`;
const ThreadRow = ThreadSummary.pick({ id: true, title: true }).extend({ createdAt: Timestamp, updatedAt: Timestamp });
const SummaryRow = ThreadRow.extend({ turnCount: z.int(), resources: z.array(z.string()) });

/**
 * The conversations of an account in a project, which no other account can read. The texts of cited files are not stored:
 * they are read at their revision. An answer that may come from a resource which the account may no longer use is not there,
 * and the model does not see it again: the database hides the turn.
 * @param owner.account null: of an agent, which has none
 */
export function accountThreads(
  store: Pick<Store, "asProject">,
  { project, account }: { project: string; account: string | null },
): ThreadStore {
  return {
    list: () =>
      store.asProject(project, async ({ query }) => {
        const result = await query(
          `select ${columns}, "turnCount", array(
             select distinct name from thread_turn u, unnest(coalesce(u.resources, t.resources)) name
             where u.project = t.project and u.thread = t.id order by name) as resources
           from (select *, (select count(*)::int from thread_turn u where u.project = t.project and u.thread = t.id)
             as "turnCount" from thread t where project = $1 and account = $2 and ${notExpired}) t
           where "turnCount" > 0 order by asked_at desc`,
          [project, account],
        );
        return allRows(SummaryRow, result);
      }),
    read: (id) =>
      store.asProject(project, async ({ query }) => {
        const found = await query(
          `select ${columns} from thread where project = $1 and account = $2 and id = $3 and ${notExpired}`,
          [project, account, id],
        );
        const thread = firstRow(ThreadRow, found) ?? missing(id);
        const result = await query("select turn from thread_turn where project = $1 and thread = $2 order by id", [
          project,
          id,
        ]);
        if (result.count === 0) missing(id);
        const turns = allRows(z.object({ turn: z.string() }), result).map(({ turn }) => parseTurn(turn));
        return { ...thread, turns: turns.filter((turn) => turn !== undefined) };
      }),
    append: (id, turn, { isFirst, replacesSince }) =>
      store.asProject(project, async (queries) => {
        const { query } = queries;
        const { question, askedAt } = turn;
        // Those that could not be opened are named in the answer.
        const named = [...turn.resources, ...(turn.unavailable ?? []).map(({ resource }) => resource)];
        // Who may not see a resource may not see its other revisions either.
        const resources = named.map((name) => splitRevision(name).name);
        if (isFirst) {
          await query(
            `insert into thread (project, id, account, title, resources, created_at, asked_at)
             values ($1, $2, $3, $4, '{}', $5, $5)`,
            [project, id, account, threadTitle(question).replaceAll("\0", ""), askedAt],
          );
        }
        if (replacesSince !== undefined) {
          await query("delete from thread_turn where project = $1 and thread = $2 and asked_at >= $3", [
            project,
            id,
            replacesSince,
          ]);
        }
        // The model has read the turns before.
        const { count } = await query(
          `update thread t set asked_at = $4, resources = array(
             select distinct name from (
               select unnest(coalesce(u.resources, t.resources)) from thread_turn u where u.project = $1 and u.thread = $3
               union select unnest($5::text[])) about (name)
             order by name)
           where project = $1 and account = $2 and id = $3`,
          [project, account, id, askedAt, resources],
        );
        if (count === 0) missing(id);
        await query(
          `insert into thread_turn (project, thread, asked_at, turn, resources)
           select $1, $2, $3, $4, resources from thread where project = $1 and id = $2`,
          [project, id, askedAt, JSON.stringify(turn)],
        );
        await prune(queries, { project, account, id });
      }),
    remove: (id) =>
      store.asProject(project, async ({ query }) => {
        const { count } = await query("delete from thread where project = $1 and account = $2 and id = $3", [
          project,
          account,
          id,
        ]);
        if (count === 0) missing(id);
      }),
    readCited: async () => undefined,
    findCited: async () => undefined,
  };
}

/** Deletes the conversations of all projects that have expired. */
export async function deleteExpiredThreads({ query }: Pick<Queries, "query">): Promise<void> {
  await query(`delete from thread where not (${notExpired})`);
}

/** Deletes the oldest turns of a thread, and the oldest threads of an account that are not shared, beyond the limits. */
async function prune(
  { query }: Queries,
  { project, account, id }: { project: string; account: string | null; id: string },
): Promise<void> {
  await query(
    `delete from thread_turn where project = $1 and thread = $2 and id <=
       (select id from thread_turn where project = $1 and thread = $2 order by id desc offset $3 limit 1)`,
    [project, id, mostTurns],
  );
  await query(
    `delete from thread where project = $1 and account = $2 and asked_at <=
       (select asked_at from thread where project = $1 and account = $2 order by asked_at desc offset $3 limit 1)
     and not exists (select from share s where s.project = thread.project and s.thread = thread.id)`,
    [project, account, mostThreads],
  );
}

/** @throws ThreadNotFound */
function missing(id: string): never {
  throw new CitewellError("ThreadNotFound", `no conversation ${JSON.stringify(id)}`, {
    hint: `conversations are deleted ${threadDays} days after their last question`,
  });
}
