import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import type { MoveReport } from "../../protocol/hosted.ts";
import { firstRow } from "./rows.ts";
import type { Engine, Queries } from "./store.ts";
import {
  checksumOf,
  insertRows,
  listSequences,
  listTables,
  readRows,
  refillTables,
  setSequence,
  type Table,
  usePortableText,
} from "./tables.ts";

/**
 * Copies every table to another database with the same schema, in one transaction, and compares the rows of both before it
 * is committed: the target is filled completely or not at all.
 * @throws AlreadyExists (the target has projects), StorageFailed (the rows or the tables differ)
 */
export async function moveTables(source: Pick<Engine, "tx">, target: Pick<Engine, "tx">): Promise<MoveReport> {
  return target.tx((to) =>
    source.tx(async (from) => {
      await usePortableText(from);
      await usePortableText(to);
      await to.exec("lock table project in access exclusive mode");
      await requireEmpty(to);
      await requireSameTables(from, to);
      await refillTables(to, async (tables) => {
        for (const table of tables) {
          for await (const rows of readRows(from, table)) await insertRows(to, table, rows);
        }
      });
      for (const sequence of await listSequences(from)) await setSequence(to, sequence);
      return { tables: await compare(from, to) };
    }),
  );
}

const Existence = z.object({ exists: z.boolean() });

async function requireEmpty({ query }: Queries): Promise<void> {
  const found = firstRow(Existence, await query("select exists (select from project) as exists"));
  if (found?.exists !== true) return;
  throw new CitewellError("AlreadyExists", "the target database already has projects", {
    hint: "name an empty database with --to",
  });
}

async function requireSameTables(from: Queries, to: Queries): Promise<void> {
  const describe = (tables: Table[]) => tables.map(({ name, columns }) => `${name}(${columns.join()})`);
  const [here, there] = [describe(await listTables(from)), describe(await listTables(to))];
  const differing = [...here.filter((one) => !there.includes(one)), ...there.filter((one) => !here.includes(one))];
  if (differing.length === 0) return;
  throw new CitewellError("StorageFailed", `the tables of the two databases differ: ${differing.join("; ")}`, {
    hint: "use the newest version of citewell that was used with either of them",
  });
}

async function compare(from: Queries, to: Queries): Promise<MoveReport["tables"]> {
  const report: MoveReport["tables"] = [];
  for (const table of await listTables(from)) {
    const [here, there] = [await checksumOf(from, table), await checksumOf(to, table)];
    if (here.rows !== there.rows || here.md5 !== there.md5) {
      throw new CitewellError("StorageFailed", `the rows of the table "${table.name}" differ after the copy`, {
        hint: "the target database was not changed; report this as a bug",
      });
    }
    report.push({ table: table.name, rows: here.rows });
  }
  return report;
}
