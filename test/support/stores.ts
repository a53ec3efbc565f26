import { cp } from "node:fs/promises";
import path from "node:path";
import { afterAll, expect } from "vitest";
import { silentLog } from "../../server/lib/log.ts";
import { openPglite } from "../../server/hosted/store/embedded.ts";
import { migrate } from "../../server/hosted/store/migrate.ts";
import { migrations } from "../../server/hosted/store/migrations.ts";
import { openPostgres } from "../../server/hosted/store/postgres.ts";
import { type Engine, openStore, type Store, type StoreLocation } from "../../server/hosted/store/store.ts";
import { keptTemplate, schemaVersion } from "./database-templates.ts";
import { type Folder, temporaryFolder } from "./folder.ts";
import { findPostgres, installedPostgres, type PostgresServer, startPostgres } from "./postgres.ts";

/** A database engine that hosted tests run on. */
export interface TestEngine {
  name: "PGlite" | "PostgreSQL";
  /** A database with our schema; opening it again opens the same one. */
  createDatabase(): Promise<StoreLocation>;
  /** A database without a schema. */
  createEmptyDatabase(): Promise<StoreLocation>;
}

/** Tests of what two engines could do differently: SQL, transactions, locks, notifications, text; and one whole journey. */
const onBothEngines = [
  "test/server/hosted/following/",
  "test/server/hosted/host-rights/refresh.test.ts",
  "test/server/hosted/jobs/",
  "test/server/hosted/limits/",
  "test/server/hosted/store/",
  "test/server/hosted/tenants/",
  // Tokens in backups and in databases that are moved.
  "test/server/hosted/secrets/git-tokens.test.ts",
  // Text that PostgreSQL cannot store.
  "test/server/hosted/endpoint/hostile-text.test.ts",
  // What row-level security shows to whom.
  "test/server/hosted/endpoint/rights.test.ts",
  // The journey: resources are added, fetched, searched, read and asked about through the endpoint.
  "test/server/hosted/endpoint/endpoint.test.ts",
  // Fetches that outlive a process, and the move from one engine to the other.
  "test/cli/hosted.test.ts",
];

/**
 * The engines that the test file runs on: some files on both, the others on PostgreSQL, which starts in a tenth of the time.
 * Where PostgreSQL is not installed (`npm test` installs it on Debian as root), all run on PGlite. What the engines start
 * ends with the test file.
 */
export function testEngines(): TestEngine[] {
  const folders: Folder[] = [];
  const bin = findPostgres();
  let server: Promise<PostgresServer> | undefined;
  afterAll(async () => {
    await (await server)?.[Symbol.asyncDispose]();
    await Promise.all(folders.map((folder) => folder[Symbol.asyncDispose]()));
  });
  const embeddedIn = async (template: Promise<string>) => {
    const folder = await temporaryFolder();
    folders.push(folder);
    const directory = path.join(folder.path, "data");
    await copyFiles(await template, directory);
    return { directory };
  };
  const embedded: TestEngine = {
    name: "PGlite",
    createDatabase: () => embeddedIn(embeddedTemplate({ hasSchema: true })),
    createEmptyDatabase: () => embeddedIn(embeddedTemplate({ hasSchema: false })),
  };
  if (bin === undefined) return [embedded];
  const started = () => (server ??= startPostgres(bin));
  const postgres: TestEngine = {
    name: "PostgreSQL",
    createDatabase: async () => ({ url: await (await started()).createDatabase() }),
    createEmptyDatabase: async () => ({ url: await (await started()).createEmptyDatabase() }),
  };
  return runsOnBoth() ? [embedded, postgres] : [postgres];
}

/** PostgreSQL alone, for what one process over an embedded database cannot do. */
export function postgresEngines(): TestEngine[] {
  return installedPostgres().length === 0 ? [] : testEngines().filter(({ name }) => name === "PostgreSQL");
}

/** Puts an embedded database with our schema into the directory of a service that has not started yet. */
export async function createEmbeddedDatabase(directory: string): Promise<void> {
  await copyFiles(await embeddedTemplate({ hasSchema: true }), directory);
}

const copyFiles = (template: string, directory: string) =>
  cp(template, path.join(directory, "postgres"), { recursive: true });

function runsOnBoth(): boolean {
  const file = path.relative(root, expect.getState().testPath ?? "");
  return onBothEngines.some((place) => file.split(path.sep).join("/").startsWith(place));
}

const root = path.resolve(import.meta.dirname, "../..");
const templateVersion = "0.5.16";

/** PGlite's directory of an empty database. */
async function embeddedTemplate({ hasSchema }: { hasSchema: boolean }): Promise<string> {
  return keptTemplate(`pglite-${templateVersion}-${hasSchema ? schemaVersion : "empty"}`, async (directory) => {
    await using engine = await openPglite(directory);
    if (hasSchema) await migrate(engine, migrations);
  });
}

/** A new database with our schema. */
export async function openTestStore(engine: TestEngine): Promise<Store> {
  return openStore(await engine.createDatabase(), { log: silentLog });
}

/** A new database without a schema. */
export async function openTestEngine(engine: TestEngine): Promise<Engine> {
  const location = await engine.createEmptyDatabase();
  if ("url" in location) return openPostgres(location.url, { log: silentLog });
  return openPglite(path.join(location.directory, "postgres"));
}
