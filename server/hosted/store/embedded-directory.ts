import { existsSync } from "node:fs";
import { mkdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { CitewellError, messageOf } from "../../errors.ts";
import type { Log } from "../../lib/log.ts";
import { renameWhenFree } from "../../lib/rename.ts";
import { restoreBackup } from "./backup.ts";
import { listBackups, startBackups } from "./backups.ts";
import { lockDirectory } from "./directory-lock.ts";
import { openPglite } from "./embedded.ts";
import { migrate, type Migration } from "./migrate.ts";
import type { Engine } from "./store.ts";

/** The schema of an embedded database, and a log for backups. */
export interface EmbeddedOptions {
  migrations: readonly Migration[];
  log: Log;
}

/**
 * Opens the embedded database of a directory with its schema up to date, locks the directory, and keeps backups in it. If
 * another version of PostgreSQL wrote the files, or they were moved away, the newest backup is restored.
 * @throws ToolMissing, StorageFailed (another process uses the directory, or its files cannot be read), InvalidPath
 */
export async function openEmbedded(directory: string, options: EmbeddedOptions): Promise<Engine> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const lock = await lockDirectory(directory);
  let engine: Engine | undefined;
  try {
    const opened = (engine = await openOrRestore(directory, options));
    await migrate(opened, options.migrations);
    const backups = startBackups(opened, directory, options);
    const close = async () => {
      await backups[Symbol.asyncDispose]();
      await opened.close();
      await lock[Symbol.asyncDispose]();
    };
    return { ...opened, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await engine?.close();
    await lock[Symbol.asyncDispose]();
    throw error;
  }
}

async function openOrRestore(directory: string, options: EmbeddedOptions): Promise<Engine> {
  const dataDir = path.join(directory, "postgres");
  const backups = await listBackups(directory);
  if (!existsSync(dataDir)) {
    // This takes seconds, during which nothing else is printed.
    if (backups.length === 0) options.log.info("creating-database", { directory: dataDir });
    else await restore({ directory, dataDir, backups }, options);
  }
  try {
    return await openPglite(dataDir);
  } catch (error) {
    const written = await versionOf(dataDir);
    if (error instanceof CitewellError || written === undefined) throw error;
    if (backups.length === 0) throw unreadable({ dataDir, written, backups }, error);
    await restore({ directory, dataDir, backups, failed: { written, error } }, options);
    return openPglite(dataDir);
  }
}

interface Damage {
  directory: string;
  dataDir: string;
  /** Newest first. */
  backups: readonly string[];
  /** Why the files that are there cannot be opened. */
  failed?: { written: string; error: unknown };
}

/** The new database is complete before it replaces the old one, whose files stay under another name. */
async function restore(damage: Damage, { migrations, log }: EmbeddedOptions): Promise<void> {
  const { dataDir, failed } = damage;
  const part = `${dataDir}.restoring`;
  const createdAt = await fillFromBackup(part, damage, { migrations, log });
  let reason = "the database's files were missing";
  if (failed !== undefined) {
    const aside = `${dataDir}-${failed.written}-${Date.now()}`;
    await renameWhenFree(dataDir, aside);
    reason = `this version cannot open the files that PostgreSQL ${failed.written} wrote, which are now in ${aside}`;
  }
  await renameWhenFree(part, dataDir);
  log.error("database-restored", {
    message: `${reason}: the backup of ${createdAt} was restored, and what was written after it is missing`,
  });
}

/** Fills a new database from the newest backup that is whole, and returns when that was written. */
async function fillFromBackup(
  part: string,
  { directory, dataDir, backups, failed }: Damage,
  { migrations, log }: EmbeddedOptions,
): Promise<string> {
  for (const file of backups) {
    await rm(part, { recursive: true, force: true });
    await using engine = await openPglite(part);
    if (failed !== undefined && (await versionOf(part)) === failed.written) {
      throw unreadable({ dataDir, written: failed.written, backups }, failed.error);
    }
    try {
      return await restoreBackup(engine, file, migrations);
    } catch (error) {
      log.error("database-backup-unusable", { file, error: messageOf(error) });
    }
  }
  throw new CitewellError("StorageFailed", `none of the ${backups.length} backups in ${directory} can be restored`, {
    hint: "the log has the reasons; move the folder of backups away to start without them",
  });
}

/** The major version of PostgreSQL that wrote the files. */
async function versionOf(dataDir: string): Promise<string | undefined> {
  const text = await readFile(path.join(dataDir, "PG_VERSION"), "utf8").catch(() => undefined);
  return text?.trim();
}

function unreadable(
  { dataDir, written, backups: [newest] }: { dataDir: string; written: string; backups: readonly string[] },
  cause: unknown,
): CitewellError {
  const fault = `the database in ${dataDir} cannot be opened; PostgreSQL ${written} wrote it: ${messageOf(cause)}`;
  const hint =
    newest === undefined
      ? "use the version of @electric-sql/pglite that wrote it, or another --data directory"
      : `move ${dataDir} away: the next start restores the backup ${newest}`;
  return new CitewellError("StorageFailed", fault, { hint, cause });
}
