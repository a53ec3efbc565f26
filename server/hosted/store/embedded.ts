import type { PGliteInterface, Transaction } from "@electric-sql/pglite";
import { importOptional } from "./optional-package.ts";
import type { Engine, Queries } from "./store.ts";

const int8 = 20;

/**
 * Opens PGlite, a PostgreSQL in this process, over a directory of its files. It does not notice a second process on them
 * and loses writes then, so the caller holds a lock.
 * @throws ToolMissing, and PGlite's own errors (the files cannot be read)
 */
export async function openPglite(dataDir: string): Promise<Engine> {
  const { PGlite } = await importOptional("@electric-sql/pglite@0.5.16", () => import("@electric-sql/pglite"));
  const database = await PGlite.create({ dataDir, parsers: { [int8]: Number } });
  const close = () => database.close();
  return {
    ...queriesOf(database),
    tx: (work) => database.transaction((transaction) => work(queriesOf(transaction))),
    async listen(channel, onMessage) {
      const stop = await database.listen(channel, onMessage);
      return { [Symbol.asyncDispose]: () => stop() };
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function queriesOf(database: PGliteInterface | Transaction): Queries {
  return {
    async query(sql, params = []) {
      const { rows, affectedRows = 0 } = await database.query<Record<string, unknown>>(sql, [...params]);
      return { rows, count: Math.max(rows.length, affectedRows) };
    },
    async exec(sql) {
      await database.exec(sql);
    },
  };
}
