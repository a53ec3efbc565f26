import * as z from "zod";
import { allRows, firstRow } from "./rows.ts";
import type { Queries } from "./store.ts";

/** A table of our schema, with the columns that can be written. */
export interface Table {
  name: string;
  columns: string[];
}

const TableRow = z.object({ name: z.string(), columns: z.array(z.string()) });
const ownSchema = "(select oid from pg_namespace where nspname = current_schema())";

/** All tables of the schema. They come from the catalogue, so that a new table is copied without being listed anywhere. */
export async function listTables({ query }: Queries): Promise<Table[]> {
  const result = await query(
    `select c.relname::text as name, array_agg(a.attname::text order by a.attname) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = ${ownSchema} and c.relkind = 'r'
       and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     group by c.relname order by c.relname`,
  );
  return allRows(TableRow, result);
}

/**
 * Makes values of all types look the same on every engine, and makes a query fail that row-level security would filter.
 * Call it first in a transaction.
 */
export async function usePortableText({ exec }: Queries): Promise<void> {
  await exec(`set transaction isolation level repeatable read;
    set local timezone = 'UTC'; set local intervalstyle = 'iso_8601'; set local bytea_output = 'hex';
    set local extra_float_digits = 1; set local row_security = off`);
}

const batchRows = 2000;
const JsonRow = z.object({ row: z.string() });

/** The rows of a table as JSON objects in text, 2,000 at a time. Numbers stay text: JavaScript would round the large ones. */
export async function* readRows({ query, exec }: Queries, { name }: Table): AsyncGenerator<string[]> {
  // In JSON a line break is white space between values.
  await exec(`declare table_rows no scroll cursor for
    select replace(row_to_json(t)::text, E'\\n', ' ') as row from ${quoteName(name)} t`);
  for (;;) {
    const rows = allRows(JsonRow, await query(`fetch ${batchRows} from table_rows`));
    if (rows.length > 0) yield rows.map(({ row }) => row);
    if (rows.length < batchRows) break;
  }
  await exec("close table_rows");
}

/** Adds rows as `readRows` returns them. */
export async function insertRows({ query }: Queries, { name, columns }: Table, rows: string[]): Promise<void> {
  const written = columns.map(quoteName).join(", ");
  await query(
    `insert into ${quoteName(name)} (${written}) overriding system value
     select ${written} from json_populate_recordset(null::${quoteName(name)}, $1::json)`,
    [`[${rows.join(",")}]`],
  );
}

const ForeignKey = z.object({ table: z.string(), name: z.string(), definition: z.string() });

/**
 * Empties all tables and lets `fill` write rows in any order: the foreign keys are dropped before and added again after
 * it, which checks all rows.
 */
export async function refillTables(queries: Queries, fill: (tables: Table[]) => Promise<void>): Promise<void> {
  const tables = await listTables(queries);
  const result = await queries.query(
    `select conrelid::regclass::text as table, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
     from pg_constraint where contype = 'f' and connamespace = ${ownSchema}`,
  );
  const keys = allRows(ForeignKey, result);
  await queries.exec(`truncate ${tables.map(({ name }) => quoteName(name)).join(", ")}`);
  for (const { table, name } of keys) await queries.exec(`alter table ${table} drop constraint ${name}`);
  await fill(tables);
  for (const { table, name, definition } of keys) {
    await queries.exec(`alter table ${table} add constraint ${name} ${definition}`);
  }
}

/** A sequence and the last value that it gave. */
export const Sequence = z.object({ name: z.string(), value: z.string() });
type Sequence = z.infer<typeof Sequence>;

/** The sequences that have given a value. */
export async function listSequences({ query }: Queries): Promise<Sequence[]> {
  const result = await query(
    `select * from (
       select quote_ident(relname) as name, pg_sequence_last_value(oid)::text as value
       from pg_class where relnamespace = ${ownSchema} and relkind = 'S') s
     where value is not null order by name`,
  );
  return allRows(Sequence, result);
}

/** Makes a sequence continue after its value. */
export async function setSequence({ query }: Queries, { name, value }: Sequence): Promise<void> {
  await query("select setval($1::regclass, $2::bigint)", [name, value]);
}

const Checksum = z.object({ rows: z.number(), md5: z.string() });

/** The number of rows of a table, and one MD5 over the MD5 of each row, which is the same in any order and on any engine. */
export async function checksumOf({ query }: Queries, { name }: Table): Promise<z.infer<typeof Checksum>> {
  const result = await query(
    `select count(*)::int as rows, md5(coalesce(string_agg(hash, '' order by hash collate "C"), '')) as md5
     from (select md5(to_jsonb(t)::text) as hash from ${quoteName(name)} t) hashes`,
  );
  return firstRow(Checksum, result) ?? { rows: 0, md5: "" };
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
