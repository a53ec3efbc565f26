import type { Log } from "../../lib/log.ts";
import { openEmbedded } from "./embedded-directory.ts";
import { migrate } from "./migrate.ts";
import { migrations } from "./migrations.ts";
import { openPostgres } from "./postgres.ts";

/** SQL statements, all on one connection or each on any. */
export interface Queries {
  /** Runs one statement; its parameters are `$1`, `$2`, … Give JSON as text and identifiers as uuid. */
  query(sql: string, params?: readonly unknown[]): Promise<QueryResult>;
  /** Runs one or more statements without parameters. */
  exec(sql: string): Promise<void>;
}

/** The result of one statement. */
export interface QueryResult {
  rows: Record<string, unknown>[];
  /** Rows that were returned or changed. */
  count: number;
}

/** A database engine: PostgreSQL 15 or later, or PGlite in this process. */
export interface Engine extends Queries, AsyncDisposable {
  /** Runs `work` in a transaction. Inside it, use only the queries that it is given: the embedded engine has one connection. */
  tx<Value>(work: (queries: Queries) => Promise<Value>): Promise<Value>;
  /**
   * Calls `onMessage` for each notification on a channel, until it is disposed of. Notifications are lost while the
   * connection is down.
   * @param channel lower-case letters and underscores
   */
  listen(channel: string, onMessage: (payload: string) => void): Promise<AsyncDisposable>;
  /** Of an engine with a pool. */
  connections?: () => { busy: number; idle: number; waiting: number };
  close(): Promise<void>;
}

/** The hosted service's database. */
export interface Store extends Engine {
  /** Whether no other process can use the database while this one does. */
  isExclusive: boolean;
  /** A transaction that sees and writes only the rows of one project (row-level security). @param project its id */
  asProject<Value>(project: string, work: (queries: Queries) => Promise<Value>): Promise<Value>;
}

/** A `postgres://` URL, or the absolute path of the embedded engine's directory. */
export type StoreLocation = { url: string } | { directory: string };

/**
 * Opens the database and brings its schema up to date.
 * @throws ToolMissing (the engine's package is not installed), StorageFailed, InvalidPath
 */
export async function openStore(location: StoreLocation, { log }: { log: Log }): Promise<Store> {
  const engine = await ("url" in location
    ? openMigrated(location.url, { log })
    : openEmbedded(location.directory, { migrations, log }));
  return {
    ...engine,
    isExclusive: "directory" in location,
    asProject: (project, work) =>
      engine.tx(async (queries) => {
        await queries.query(
          "select set_config('citewell.project', $1, true), set_config('role', 'citewell_tenant', true)",
          [project],
        );
        return work(queries);
      }),
  };
}

async function openMigrated(url: string, options: { log: Log }): Promise<Engine> {
  const engine = await openPostgres(url, options);
  try {
    await migrate(engine, migrations);
    return engine;
  } catch (error) {
    await engine.close();
    throw error;
  }
}
