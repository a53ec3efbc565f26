import type { PGliteInterface, Transaction } from "@electric-sql/pglite";
import { createTimeSlices } from "../../lib/time-slices.ts";
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
  const slices = createTimeSlices();
  const inSlice: Start = async (work) => slices.run(work);
  const inOrder = createOrder(inSlice);
  return {
    ...queriesOf(database, inOrder),
    tx: (work, first) =>
      inOrder(() =>
        database.transaction(async (transaction) => {
          if (first !== undefined) await transaction.exec(first);
          return work(queriesOf(transaction, inSlice));
        }),
      ),
    async listen(channel, onMessage) {
      const stop = await database.listen(channel, onMessage);
      return { [Symbol.asyncDispose]: () => stop() };
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Starts a task, at once or later. */
type Start = <Value>(work: () => Promise<Value>) => Promise<Value>;

/**
 * Starts tasks one after the other. PGlite's own queue empties without a turn of the event loop, so a thousand requests at
 * once would wait until their time to be received is over.
 */
function createOrder(start: Start): Start {
  let last: Promise<unknown> = Promise.resolve();
  return async (work) => {
    const result = last.then(() => start(work));
    last = result.catch(() => {});
    return result;
  };
}

function queriesOf(database: PGliteInterface | Transaction, start: Start): Queries {
  return {
    async query(sql, params = []) {
      const { rows, affectedRows = 0 } = await start(() => database.query<Record<string, unknown>>(sql, [...params]));
      return { rows, count: Math.max(rows.length, affectedRows) };
    },
    async exec(sql) {
      await start(() => database.exec(sql));
    },
  };
}
