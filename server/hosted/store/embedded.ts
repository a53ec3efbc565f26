import { createTimeSlices } from "../../lib/time-slices.ts";
import { importOptional } from "./optional-package.ts";
import { createPreparedStatements } from "./prepared-statements.ts";
import type { Engine, Queries } from "./store.ts";

const int8 = 20;

/**
 * Opens PGlite, a PostgreSQL in this process, over a directory of its files. It does not notice a second process on them
 * and loses writes then, so the caller holds a lock.
 * @throws ToolMissing, and PGlite's own errors (the files cannot be read)
 */
export async function openPglite(dataDir: string): Promise<Engine> {
  const library = await importOptional("@electric-sql/pglite@0.5.16", () => import("@electric-sql/pglite"));
  const database = await library.PGlite.create({ dataDir, parsers: { [int8]: Number } });
  const statements = createPreparedStatements(database, library);
  const close = () => database.close();
  const slices = createTimeSlices();
  const inSlice: Start = async (work) => slices.run(work);
  const inOrder = createOrder(inSlice);
  const queriesWith = (start: Start, exec: (sql: string) => Promise<unknown>): Queries => ({
    query: (sql, params = []) => start(() => statements.query(sql, params)),
    exec: (sql) =>
      start(async () => {
        await statements.forget();
        await exec(sql);
      }),
  });
  return {
    ...queriesWith(inOrder, (sql) => database.exec(sql)),
    tx: (work, first) =>
      inOrder(() =>
        database.transaction(async (transaction) => {
          if (first !== undefined) await transaction.exec(first);
          return work(queriesWith(inSlice, (sql) => transaction.exec(sql)));
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
