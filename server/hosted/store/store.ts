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
  /**
   * Runs `work` in a transaction. Inside it, use only the queries that it is given: the embedded engine has one
   * connection. `first` is a statement without parameters that is sent to PostgreSQL in one message with `begin`. If it
   * fails, so do all statements of `work`.
   */
  tx<Value>(work: (queries: Queries) => Promise<Value>, first?: string): Promise<Value>;
  /**
   * Calls `onMessage` for each notification on a channel, until it is disposed of. Notifications are lost while the
   * connection is down.
   * @param channel lower-case letters and underscores
   */
  listen(channel: string, onMessage: (payload: string) => void): Promise<AsyncDisposable>;
  /** The connections of an engine with a pool. */
  connections?: () => { busy: number; idle: number; waiting: number };
  close(): Promise<void>;
}

/**
 * The hosted service's database, for all modules of `hosted/`: one interface and the same SQL over PostgreSQL and
 * PGlite.
 *
 * It knows no table: each module has its own SQL, and `migrations.ts` the schema. SQL about a project belongs into
 * `asProject`, which lets row-level security hide the rows of others.
 */
export interface Store extends Engine {
  /** Whether no other process can use the database while this one does. */
  isExclusive: boolean;
  /**
   * A transaction that sees and writes only the rows of one project (row-level security). With a reader, it has only the
   * resources, their fetches and the answers about them that the reader may see. @param project its id
   */
  asProject<Value>(
    project: string,
    work: (queries: Queries) => Promise<Value>,
    options?: { reader?: Reader | undefined },
  ): Promise<Value>;
}

/** A key or an account whose rights apply, by its id. Without one, the service itself works. */
export interface Reader {
  kind: "key" | "account";
  id: string;
}

/** The store with the rights of a reader. */
export function storeFor<Own extends Pick<Store, "asProject">>(store: Own, reader: Reader | undefined): Own {
  return { ...store, asProject: (project, work) => store.asProject(project, work, { reader }) };
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
    async asProject(project, work, { reader } = {}) {
      const id = idLiteral(project);
      const rights =
        reader === undefined
          ? `set_config('citewell.scope', 'all', true), set_config('citewell.names', '{}', true)`
          : `use_rights(${id}, '${reader.kind}', ${idLiteral(reader.id)})`;
      const role = `set_config('role', 'citewell_tenant', true)`;
      return engine.tx(work, `select set_config('citewell.project', ${id}, true), ${rights}, ${role}`);
    },
  };
}

/** An identifier as SQL text, for a statement that cannot have parameters. @throws RangeError (not a uuid) */
export function idLiteral(id: string): string {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) throw new RangeError(`not an identifier: ${id}`);
  return `'${id}'`;
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
