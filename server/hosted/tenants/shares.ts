import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import { threadTitle } from "../../protocol/thread-title.ts";
import type { ThreadTurn } from "../../protocol/threads.ts";
import { parseTurn } from "../../threads/parse-turn.ts";
import type { ThreadStore } from "../../threads/threads.ts";
import { allRows, firstRow, Timestamp } from "../store/rows.ts";
import { type Reader, type Store, storeFor } from "../store/store.ts";
import { notExpired } from "./account-threads.ts";
import { recordAudit } from "./audit.ts";

/** An account and its project. */
export interface Sharer {
  project: string;
  account: string;
}

const shareColumns = `s.id, s.account, a.email, s.created_at as "createdAt",
  (select count(*)::int from thread_turn u where u.project = s.project and u.thread = s.thread
     and u.id between s.first_turn and s.last_turn) as turns`;
const fromShare = `from share s join account a on a.id = s.account
  join thread t on t.project = s.project and t.id = s.thread and t.${notExpired}`;
const Share = z.object({
  id: z.uuid(),
  account: z.uuid(),
  email: z.string(),
  createdAt: Timestamp,
  /** The number of its questions. */
  turns: z.int(),
});
/** A conversation, or a part of it, that the members of the project can open by a link. */
export type Share = z.infer<typeof Share>;

/**
 * Shares a conversation of an account as it is now, or one of its answers: later questions are not shared. What is shared
 * already keeps its link.
 * @param shared.askedAt of the question of one answer; absent: all
 * @throws ThreadNotFound (or no such answer)
 */
export async function shareThread(
  store: Pick<Store, "asProject">,
  { project, account }: Sharer,
  { thread, askedAt }: { thread: string; askedAt?: string | undefined },
): Promise<string> {
  return store.asProject(project, async (queries) => {
    const { query } = queries;
    const made = await query(
      `insert into share (project, account, thread, first_turn, last_turn)
       select t.project, t.account, t.id, min(u.id), max(u.id)
       from thread t join thread_turn u on u.project = t.project and u.thread = t.id
       where t.project = $1 and t.account = $2 and t.id = $3 and ($4::timestamptz is null or u.asked_at = $4)
       group by t.project, t.account, t.id
       on conflict (project, thread, first_turn, last_turn) do update set created_at = share.created_at
       returning id, created_at = now() as "isNew"`,
      [project, account, thread, askedAt ?? null],
    );
    const row = firstRow(z.object({ id: z.uuid(), isNew: z.boolean() }), made);
    if (row === undefined) {
      throw new CitewellError("ThreadNotFound", "this conversation or answer cannot be shared: it is not stored", {
        hint: "conversations are deleted 30 days after their last question",
      });
    }
    const { id, isNew } = row;
    const detail = { of: askedAt === undefined ? "a conversation" : "an answer" };
    if (isNew) {
      await recordAudit(queries, project, { actor: `account:${account}`, action: "share.created", target: id, detail });
    }
    return id;
  });
}

/** What an account shares of one of its conversations. */
export async function listShares(
  store: Pick<Store, "asProject">,
  { project, account }: Sharer,
  thread: string,
): Promise<Share[]> {
  const result = await store.asProject(project, ({ query }) =>
    query(
      `select ${shareColumns} ${fromShare} where s.project = $1 and s.account = $2 and s.thread = $3
       order by s.created_at`,
      [project, account, thread],
    ),
  );
  return allRows(Share, result);
}

/** Ends a share. @param options.account of the share; absent: any, for an admin @throws ThreadNotFound */
export async function endShare(
  store: Pick<Store, "asProject">,
  { project, share, account, actor }: { project: string; share: string; account?: string | undefined; actor: string },
): Promise<void> {
  if (!z.uuid().safeParse(share).success) missing();
  await store.asProject(project, async (queries) => {
    const { count } = await queries.query(
      "delete from share where project = $1 and id = $2 and ($3::uuid is null or account = $3)",
      [project, share, account ?? null],
    );
    if (count === 0) missing();
    await recordAudit(queries, project, { actor, action: "share.ended", target: share });
  });
}

/** A share as a reader may see it. */
export interface SharedThread extends Share {
  title: string;
  /** Oldest first. Undefined where the answer may come from a resource that the reader may not use, or that was removed. */
  shown: readonly (ThreadTurn | undefined)[];
}

const TurnRow = z.object({ id: z.number(), turn: z.string() });

/**
 * Reads what is shared with the rights of a reader. A resource that was added after the question under the name of one that
 * was removed is another one.
 * @throws ThreadNotFound
 */
export async function readShare(
  store: Pick<Store, "asProject">,
  { project, share: id, reader }: { project: string; share: string; reader: Reader },
): Promise<SharedThread> {
  if (!z.uuid().safeParse(id).success) missing();
  const turnsOf = `from share s join thread_turn u on u.project = s.project and u.thread = s.thread
    and u.id between s.first_turn and s.last_turn where s.project = $1 and s.id = $2`;
  const [found, all] = await store.asProject(project, ({ query }) =>
    Promise.all([
      query(`select ${shareColumns} ${fromShare} where s.project = $1 and s.id = $2`, [project, id]),
      query(`select u.id ${turnsOf} order by u.id`, [project, id]),
    ]),
  );
  const share = firstRow(Share, found) ?? missing();
  if (share.turns === 0) missing();
  const visible = await storeFor(store, reader).asProject(project, ({ query }) =>
    query(
      `select u.id, u.turn ${turnsOf} and u.resources is not null and not exists (
         select from unnest(u.resources) about (name) where not exists (
           select from resource r where r.project = u.project and r.name = about.name and r.created_at <= u.asked_at))`,
      [project, id],
    ),
  );
  const turns = new Map(allRows(TurnRow, visible).map((row) => [row.id, parseTurn(row.turn)]));
  const shown = allRows(TurnRow.pick({ id: true }), all).map((row) => turns.get(row.id));
  const first = shown.find((turn) => turn !== undefined);
  return { ...share, shown, title: first === undefined ? "A shared conversation" : threadTitle(first.question) };
}

/** What a reader may see of one share, for the operations that read a conversation by its id. */
export function sharedThreads(
  store: Pick<Store, "asProject">,
  { project, share, reader }: { project: string; share: string; reader: Reader },
): ThreadStore {
  const refuse = async () => missing();
  return {
    async read(id) {
      const { title, createdAt, shown } = id === share ? await readShare(store, { project, share, reader }) : missing();
      return { id, title, createdAt, updatedAt: createdAt, turns: shown.filter((turn) => turn !== undefined) };
    },
    list: async () => [],
    append: refuse,
    remove: refuse,
    readCited: async () => undefined,
    findCited: async () => undefined,
  };
}

/** The same for a share that ended and for one that never was. @throws ThreadNotFound */
function missing(): never {
  throw new CitewellError("ThreadNotFound", "nothing is shared at this address, or not any more", {
    hint: "ask the person who sent it; a share ends with its conversation, 30 days after the last question",
  });
}
