import type { Client, ClientBase, Pool } from "pg";
import { CitewellError, codeOf, messageOf } from "../../errors.ts";
import type { Log } from "../../lib/log.ts";
import { createSemaphore } from "../../lib/semaphore.ts";
import { importOptional } from "./optional-package.ts";
import { createListener } from "./postgres-listener.ts";
import type { Engine, Queries } from "./store.ts";

const connectTimeoutMs = 10_000;
const connections = 10;
const int8 = 20;

/** Opens PostgreSQL at a `postgres://` URL. @throws ToolMissing, StorageFailed (the database cannot be reached) */
export async function openPostgres(url: string, { log }: { log: Log }): Promise<Engine> {
  const { Client, Pool, TypeOverrides } = await importOptional("pg@8.23.1", () => import("pg"));
  const types = new TypeOverrides();
  types.setTypeParser(int8, Number);
  // Sends a statement without waiting for the results of earlier ones.
  const config = { connectionString: url, connectionTimeoutMillis: connectTimeoutMs, types, pipeline: true };
  const pool = new Pool({ ...config, max: connections });
  // The pool's timeout includes the wait for a free connection, so many concurrent calls would fail.
  const permits = createSemaphore(connections);
  let waiting = 0;
  const withPermit: Start = async (work) => {
    waiting++;
    await permits.acquire();
    waiting--;
    return work().finally(() => permits.release());
  };
  // Without a listener, a restart of the database would end this process. The pool listens to idle connections only; what
  // another one was asked fails with the error.
  pool.on("connect", (client) => client.on("error", () => {}));
  pool.on("error", (error) => log.warn("database-connection-lost", { error: error.message }));
  const listener = createListener({ connect: () => openClient(new Client(config)), log });

  const close = async () => {
    await listener.close();
    await pool.end();
  };
  try {
    await pool.query("select 1");
  } catch (error) {
    await close();
    throw new CitewellError("StorageFailed", `the database cannot be reached: ${messageOf(error)}`, {
      hint: "check --database (or CITEWELL_DATABASE_URL), and that PostgreSQL is running",
      cause: error,
    });
  }
  return {
    ...queriesOf(pool, withPermit),
    tx: (work, first) => withPermit(() => inTransaction(pool, work, first).catch(rethrow)),
    listen: (channel, onMessage) => listener.listen(channel, onMessage),
    connections: () => ({
      busy: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting,
    }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Starts a task, at once or later. */
type Start = <Value>(work: () => Promise<Value>) => Promise<Value>;

async function inTransaction<Value>(
  pool: Pool,
  work: (queries: Queries) => Promise<Value>,
  first?: string,
): Promise<Value> {
  const client = await pool.connect();
  let isBroken = false;
  const begun = client.query(first === undefined ? "begin" : `begin; ${first}`);
  // A failure is reported below.
  begun.catch(() => {});
  try {
    const value = await work(queriesOf(client));
    await begun;
    await client.query("commit");
    return value;
  } catch (error) {
    await client.query("rollback").catch(() => {
      isBroken = true;
    });
    // If the first statement failed, the others only report an aborted transaction.
    await begun;
    throw error;
  } finally {
    client.release(isBroken);
  }
}

async function openClient(client: Client): Promise<Client> {
  await client.connect();
  return client;
}

function queriesOf(client: Pick<ClientBase, "query">, start: Start = (work) => work()): Queries {
  return {
    async query(sql, params = []) {
      const { rows, rowCount } = await start(() => client.query<Record<string, unknown>>(sql, [...params])).catch(
        rethrow,
      );
      return { rows, count: rowCount ?? 0 };
    },
    async exec(sql) {
      await start(() => client.query(sql)).catch(rethrow);
    },
  };
}

/**
 * @throws instead of what the driver throws: DatabaseUnreachable when the connection fails, StorageFailed when the user may
 * not take the role of projects
 */
function rethrow(error: unknown): never {
  if (error instanceof CitewellError) throw error;
  if (/permission denied to set role/.test(messageOf(error))) {
    throw new CitewellError("StorageFailed", `the database's user lacks a right: ${messageOf(error)}`, {
      hint: "as an administrator of the database, grant citewell_tenant to the user of --database; a restored backup lacks this grant",
      cause: error,
    });
  }
  if (!isConnectionFault(error)) throw error;
  throw new CitewellError("DatabaseUnreachable", "the service's database cannot be reached now", {
    hint: "try again in a few seconds",
    cause: error,
  });
}

/** Codes of the system; SQLSTATE classes 08 (connection) and 57P01 to 57P03 (shutting down, crashed, starting). */
const connectionCodes =
  /^(?:E(?:CONN(?:REFUSED|RESET|ABORTED)|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN)|ENOENT|08...|57P0[123])$/;

function isConnectionFault(error: unknown): boolean {
  if (connectionCodes.test(codeOf(error) ?? "")) return true;
  return /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection)/.test(
    messageOf(error),
  );
}
