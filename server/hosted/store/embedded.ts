import type * as PGliteLibrary from "@electric-sql/pglite";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { CitewellError, messageOf } from "../../errors.ts";
import { renameWhenFree } from "../../lib/rename.ts";
import { createTimeSlices } from "../../lib/time-slices.ts";
import { importOptional } from "./optional-package.ts";
import { createPreparedStatements } from "./prepared-statements.ts";
import type { Engine, Queries } from "./store.ts";

type Init = PGliteLibrary.MemoryFS["init"];

const int8 = 20;

/** PostgreSQL's default is 128 MB, which this process would hold in addition to the system's cache of the same files. */
const smallBuffers = ["-c", "shared_buffers=8MB"];

/**
 * Opens PGlite, a PostgreSQL in this process, over a directory of its files. It does not notice a second process on them
 * and loses writes then, so the caller holds a lock.
 * @throws ToolMissing, StorageFailed (a new database cannot be made), and PGlite's own errors (the files cannot be read)
 */
export async function openPglite(dataDir: string): Promise<Engine> {
  const library = await importOptional("@electric-sql/pglite@0.5.16", () => import("@electric-sql/pglite"));
  if (!existsSync(dataDir)) await createFiles(dataDir, library).catch((error: unknown) => refuse(dataDir, error));
  const startParams = [...library.PGlite.defaultStartParams, ...smallBuffers];
  const database = await library.PGlite.create({ dataDir, startParams, parsers: { [int8]: Number } });
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

/**
 * Makes the files of a new database, complete or not at all. On disk, PGlite would first make them in memory and then copy
 * them through an archive, which takes 200 MB more; a file system that it takes for one in memory is filled in place.
 */
async function createFiles(dataDir: string, { MemoryFS, PGlite }: typeof PGliteLibrary): Promise<void> {
  const { NodeFS } = await import("@electric-sql/pglite/nodefs");
  const part = `${dataDir}.new`;
  await rm(part, { recursive: true, force: true });
  class FilledInPlace extends MemoryFS {
    readonly #files = new NodeFS(part);

    override init(...[pglite, options]: Parameters<Init>): ReturnType<Init> {
      this.pg = pglite;
      return this.#files.init(pglite, options);
    }
  }
  const database = await PGlite.create({ fs: new FilledInPlace(), initDbStartParams: smallBuffers });
  await database.close();
  await renameWhenFree(part, dataDir);
}

function refuse(dataDir: string, cause: unknown): never {
  throw new CitewellError("StorageFailed", `no database could be made in ${dataDir}: ${messageOf(cause)}`, {
    hint: "it needs 50 MB on a disk that can be written",
    cause,
  });
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
