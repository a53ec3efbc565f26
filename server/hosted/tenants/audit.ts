import * as z from "zod";
import { AuditEntry } from "../../protocol/hosted.ts";
import { allRows, Timestamp } from "../store/rows.ts";
import type { Queries, Store } from "../store/store.ts";

/** Adds an entry to a project's audit log; entries cannot be changed or removed. Give it no secrets. */
export async function recordAudit(
  { query }: Queries,
  project: string,
  { actor, action, target, detail = {} }: Omit<AuditEntry, "at" | "detail"> & { detail?: AuditEntry["detail"] },
): Promise<void> {
  await query("insert into audit (project, actor, action, target, detail) values ($1, $2, $3, $4, $5::jsonb)", [
    project,
    actor,
    action,
    target,
    JSON.stringify(detail),
  ]);
}

/** Records the first use of a client with access tokens by an account. */
export async function recordFirstUse(
  store: Pick<Store, "asProject">,
  project: string,
  { account, client }: { account: string; client: string },
): Promise<void> {
  const params = [project, `account:${account}`, client];
  await store.asProject(project, async ({ query }) => {
    const known = await query(
      "select from audit where project = $1 and actor = $2 and target = $3 and action = 'client.first-used'",
      params,
    );
    if (known.count > 0) return;
    await query(
      `insert into audit (project, actor, target, action) values ($1, $2, $3, 'client.first-used')
       on conflict (project, actor, target) where action = 'client.first-used' do nothing`,
      params,
    );
  });
}

const Row = AuditEntry.extend({ id: z.number(), at: Timestamp });

/** The newest entries of a project, newest first. */
export async function listAudit(store: Store, project: string, { limit = 100 } = {}): Promise<AuditEntry[]> {
  return (await readPage(store, project, { limit })).map(withoutId);
}

/** What is looked for in an audit log. */
export interface AuditSearch {
  /** All of them are in the action, the actor, the target or the details, in any case. */
  words: readonly string[];
  /** The names of keys and accounts, by id: entries have the ids. */
  names: ReadonlyMap<string, string>;
  isOldestFirst: boolean;
  limit: number;
  offset: number;
}

/** The entries of a project that have some words. */
export async function searchAudit(
  store: Pick<Store, "asProject">,
  project: string,
  { words, names, isOldestFirst, limit, offset }: AuditSearch,
): Promise<AuditEntry[]> {
  const wanted = words.map((word) => {
    const named = [...names].filter(([, name]) => name.toLowerCase().includes(word.toLowerCase())).map(([id]) => id);
    return { pattern: `%${word.replaceAll(/[\\%_]/g, "\\$&")}%`, named };
  });
  const result = await store.asProject(project, ({ query }) =>
    query(
      `select id, at, actor, action, target, detail from audit where project = $1 and not exists (
         select from json_to_recordset($2::json) as w (pattern text, named text[])
         where concat_ws(' ', action, actor, target, detail) not ilike w.pattern
           and split_part(actor, ':', 2) <> all (w.named) and target <> all (w.named))
       order by id ${isOldestFirst ? "" : "desc"} limit $3 offset $4`,
      [project, JSON.stringify(wanted), limit, offset],
    ),
  );
  return allRows(Row, result).map(withoutId);
}

const exportPage = 1000;

/** All entries of a project, newest first, page by page. */
export async function* readAudit(store: Store, project: string): AsyncGenerator<AuditEntry> {
  let page = await readPage(store, project, { limit: exportPage });
  while (page.length > 0) {
    yield* page.map(withoutId);
    page = await readPage(store, project, { limit: exportPage, before: page.at(-1)?.id });
  }
}

async function readPage(
  store: Store,
  project: string,
  { limit, before = Number.MAX_SAFE_INTEGER }: { limit: number; before?: number | undefined },
): Promise<z.infer<typeof Row>[]> {
  const result = await store.asProject(project, ({ query }) =>
    query(
      `select id, at, actor, action, target, detail from audit where project = $1 and id < $3 order by id desc limit $2`,
      [project, limit, before],
    ),
  );
  return allRows(Row, result);
}

function withoutId(row: z.infer<typeof Row>): AuditEntry {
  const { id: _, ...entry } = row;
  return entry;
}
