import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { chown, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { Client } from "pg";
import { expect, test } from "vitest";
import { silentLog } from "../../server/lib/log.ts";
import { migrate } from "../../server/hosted/store/migrate.ts";
import { migrations } from "../../server/hosted/store/migrations.ts";
import { openPostgres } from "../../server/hosted/store/postgres.ts";
import { keptTemplate, schemaVersion } from "./database-templates.ts";

/** A PostgreSQL server of its own, reached through a socket file. */
export interface PostgresServer extends AsyncDisposable {
  /** Creates a database with our schema and returns its URL. */
  createDatabase(): Promise<string>;
  createEmptyDatabase(): Promise<string>;
  /** Ends the server as a crash would. */
  crash(): Promise<void>;
  start(): Promise<void>;
}

/** The folder of PostgreSQL's programs, newest version first (Debian keeps them out of `PATH`); undefined without one. */
export function findPostgres(): string | undefined {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : [];
  const onPath = (process.env["PATH"] ?? "").split(path.delimiter);
  return [...versions.map((version) => path.join(debian, version, "bin")), ...onPath].find((folder) =>
    existsSync(path.join(folder, "initdb")),
  );
}

/** The same for `describe.each`. Without PostgreSQL, one test says that what needs it is not tested. */
export function installedPostgres(): string[] {
  const bin = findPostgres();
  if (bin !== undefined) return [bin];
  test("PostgreSQL is not installed: what needs it is not tested", () => expect(findPostgres()).toBeUndefined());
  return [];
}

const run = promisify(execFile);

/** PostgreSQL refuses to run as root: then it runs as the user `nobody`. */
async function unprivileged(): Promise<{ uid?: number; gid?: number }> {
  if (process.getuid?.() !== 0) return {};
  const idOf = async (flag: string) => Number((await run("id", [flag, "nobody"])).stdout);
  return { uid: await idOf("-u"), gid: await idOf("-g") };
}

/** The database that others are copies of. */
const template = "with_schema";

/** Starts a new server with the programs in `bin`. */
export async function startPostgres(bin: string): Promise<PostgresServer> {
  const user = await unprivileged();
  const version = (await run(path.join(bin, "postgres"), ["--version"])).stdout.trim().replaceAll(/[^\w.]+/g, "-");
  const files = await keptTemplate(`${version}-${schemaVersion}`, async (folder) => {
    if (user.uid !== undefined && user.gid !== undefined) await chown(folder, user.uid, user.gid);
    const initdb = ["-D", dataOf(folder), "-U", "citewell", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
    await run(path.join(bin, "initdb"), initdb, { ...user, cwd: folder });
    const server = await startIn(folder, { bin, user });
    const engine = await openPostgres(await server.createEmptyDatabase(template), { log: silentLog });
    await migrate(engine, migrations);
    await engine.close();
    await server.stop("SIGINT");
  });
  const folder = await mkdtemp(path.join(os.tmpdir(), "citewell-pg-"));
  if (user.uid !== undefined && user.gid !== undefined) await chown(folder, user.uid, user.gid);
  await run("cp", ["-R", dataOf(files), dataOf(folder)], { ...user, cwd: folder });
  const { createDatabase, createEmptyDatabase, start, stop } = await startIn(folder, { bin, user });
  return {
    createDatabase,
    createEmptyDatabase: () => createEmptyDatabase(),
    start,
    crash: () => stop("SIGQUIT"),
    async [Symbol.asyncDispose]() {
      await stop("SIGQUIT");
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

const dataOf = (folder: string) => path.join(folder, "data");

/** Starts a server over the files in a folder, which also gets its socket. */
async function startIn(folder: string, { bin, user }: { bin: string; user: Awaited<ReturnType<typeof unprivileged>> }) {
  const url = (database: string) => `postgres://citewell@localhost/${database}?host=${encodeURIComponent(folder)}`;
  let server: ChildProcess | undefined;
  let databases = 0;

  const start = async () => {
    const args = ["-D", dataOf(folder), "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off"];
    const child = spawn(path.join(bin, "postgres"), args, { ...user, cwd: folder, stdio: "ignore" });
    server = child;
    while (child.exitCode === null && !(await answers(url("postgres")))) await sleep(20);
    if (child.exitCode !== null) throw new Error(`postgres ended with code ${child.exitCode}`);
  };
  const stop = async (signal: NodeJS.Signals) => {
    if (server === undefined || server.exitCode !== null) return;
    const ended = once(server, "exit");
    server.kill(signal);
    await ended;
  };
  const create = async (name: string, options = "") => {
    await withClient(url("postgres"), (client) => client.query(`create database ${name} ${options}`));
    return url(name);
  };
  await start();
  return {
    createDatabase: () => create(`test_${(databases += 1)}`, `template ${template}`),
    createEmptyDatabase: (name = `test_${(databases += 1)}`) => create(name),
    start,
    stop,
  };
}

async function answers(url: string): Promise<boolean> {
  return withClient(url, () => Promise.resolve(true)).catch(() => false);
}

async function withClient<Value>(url: string, work: (client: Client) => Promise<Value>): Promise<Value> {
  const client = new Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
