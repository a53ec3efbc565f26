import { existsSync } from "node:fs";
import { cp, mkdtemp, rename, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { afterAll, beforeAll } from "vitest";
import { silentLog } from "../../server/lib/log.ts";
import { openPglite } from "../../server/hosted/store/embedded.ts";
import { openPostgres } from "../../server/hosted/store/postgres.ts";
import { type Engine, openStore, type Store, type StoreLocation } from "../../server/hosted/store/store.ts";
import { type Folder, temporaryFolder } from "./folder.ts";
import { findPostgres, type PostgresServer, startPostgres } from "./postgres.ts";

/** A database engine that hosted tests run on. */
export interface TestEngine {
  name: "PGlite" | "PostgreSQL";
  /** An empty database; opening it again opens the same one. */
  createDatabase(): Promise<StoreLocation>;
}

/**
 * The engines of this computer: PGlite, and PostgreSQL if it is installed (`npm test` installs it on Debian as root). What
 * they start ends with the test file.
 */
export function testEngines(): TestEngine[] {
  const folders: Folder[] = [];
  const bin = findPostgres();
  let server: Promise<PostgresServer> | undefined;
  beforeAll(() => embeddedTemplate(), templateTimeoutMs);
  afterAll(async () => {
    await (await server)?.[Symbol.asyncDispose]();
    await Promise.all(folders.map((folder) => folder[Symbol.asyncDispose]()));
  });
  const embedded: TestEngine = {
    name: "PGlite",
    async createDatabase() {
      const folder = await temporaryFolder();
      folders.push(folder);
      const directory = path.join(folder.path, "data");
      await cp(await embeddedTemplate(), path.join(directory, "postgres"), { recursive: true });
      return { directory };
    },
  };
  if (bin === undefined) return [embedded];
  const postgres: TestEngine = {
    name: "PostgreSQL",
    createDatabase: async () => ({ url: await (await (server ??= startPostgres(bin))).createDatabase() }),
  };
  return [embedded, postgres];
}

const templateTimeoutMs = 180_000;
const templateVersion = "0.5.16";

/** An empty PGlite directory. It is kept for all test files: making one takes seconds, copying it does not. */
async function embeddedTemplate(): Promise<string> {
  const template = path.join(os.tmpdir(), `citewell-pglite-${templateVersion}-${process.getuid?.() ?? 0}`);
  if (existsSync(template)) return template;
  const making = await mkdtemp(`${template}-`);
  await (await PGlite.create({ dataDir: making })).close();
  // Another test file may have been faster.
  await rename(making, template).catch(() => rm(making, { recursive: true, force: true }));
  return template;
}

/** A new database with our schema. */
export async function openTestStore(engine: TestEngine): Promise<Store> {
  return openStore(await engine.createDatabase(), { log: silentLog });
}

/** A new database without a schema. */
export async function openTestEngine(engine: TestEngine): Promise<Engine> {
  const location = await engine.createDatabase();
  if ("url" in location) return openPostgres(location.url, { log: silentLog });
  return openPglite(path.join(location.directory, "postgres"));
}
