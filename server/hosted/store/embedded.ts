import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import type { PGliteInterface, Transaction } from "@electric-sql/pglite";
import { CitewellError, messageOf } from "../../errors.ts";
import { lockDirectory } from "./directory-lock.ts";
import { importOptional } from "./optional-package.ts";
import type { Engine, Queries } from "./store.ts";

const int8 = 20;

/**
 * Opens PGlite, a PostgreSQL in this process, over a directory. PGlite does not notice a second process on its files and
 * loses writes then, so this holds a lock on the directory.
 * @throws ToolMissing, StorageFailed (another process uses the directory, or its files cannot be read), InvalidPath
 */
export async function openEmbedded(directory: string): Promise<Engine> {
  const { PGlite } = await importOptional("@electric-sql/pglite@0.5.16", () => import("@electric-sql/pglite"));
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const lock = await lockDirectory(directory);
  const dataDir = path.join(directory, "postgres");
  let database: PGliteInterface;
  try {
    database = await PGlite.create({ dataDir, parsers: { [int8]: Number } });
  } catch (error) {
    await lock[Symbol.asyncDispose]();
    throw await unreadable(dataDir, error);
  }
  const close = async () => {
    await database.close();
    await lock[Symbol.asyncDispose]();
  };
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

/** A new major version of PGlite does not open the directory of an older one, and its own message does not say so. */
async function unreadable(dataDir: string, cause: unknown): Promise<CitewellError> {
  const version = await readFile(path.join(dataDir, "PG_VERSION"), "utf8").catch(() => undefined);
  const written = version === undefined ? "" : `; PostgreSQL ${version.trim()} wrote it`;
  return new CitewellError(
    "StorageFailed",
    `the database in ${dataDir} cannot be opened${written}: ${messageOf(cause)}`,
    {
      hint: "use the version of @electric-sql/pglite that wrote it, or another --data directory",
      cause,
    },
  );
}
