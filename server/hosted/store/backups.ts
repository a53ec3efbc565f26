import { mkdir, readdir, rm } from "node:fs/promises";
import path from "node:path";
import { messageOf } from "../../errors.ts";
import type { Log } from "../../lib/log.ts";
import { writeBackup } from "./backup.ts";
import type { Engine } from "./store.ts";

const hourMs = 3_600_000;
const newestKept = 6;
const daysKept = 7;
const namePattern = /^\d{4}-\d\d-\d\dT[\d-]+Z\.ndjson\.gz$/;

/** The backups of an embedded database, newest first, as absolute paths. */
export async function listBackups(directory: string): Promise<string[]> {
  const folder = folderOf(directory);
  const names = await readdir(folder).catch(() => []);
  const backups = names.filter((name) => namePattern.test(name)).toSorted();
  return backups.toReversed().map((name) => path.join(folder, name));
}

/**
 * Backs the database up every hour, and when this is disposed of. A backup that fails is logged, and the older ones stay.
 * @param directory of the embedded database
 */
export function startBackups(
  engine: Pick<Engine, "tx">,
  directory: string,
  { log, everyMs = hourMs }: { log: Log; everyMs?: number },
): AsyncDisposable {
  const backUp = async () => {
    try {
      await addBackup(engine, directory);
    } catch (error) {
      log.error("database-backup-failed", { directory: folderOf(directory), error: messageOf(error) });
    }
  };
  let last = Promise.resolve();
  const backUpNext = () => (last = last.then(backUp));
  const timer = setInterval(() => void backUpNext(), everyMs);
  timer.unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await backUpNext();
    },
  };
}

/** Which backups to remove: the newest six are kept, and the newest one of each of the last seven days that have one. */
export function expiredBackups(newestFirst: readonly string[]): string[] {
  const newestOfDay = new Map(
    newestFirst.toReversed().map((file) => [path.basename(file).slice(0, "2026-01-01".length), file]),
  );
  const daily = [...newestOfDay.values()].toReversed().slice(0, daysKept);
  const kept = new Set([...newestFirst.slice(0, newestKept), ...daily]);
  return newestFirst.filter((file) => !kept.has(file));
}

async function addBackup(engine: Pick<Engine, "tx">, directory: string): Promise<void> {
  const folder = folderOf(directory);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const name = new Date().toISOString().replaceAll(/[:.]/g, "-");
  await writeBackup(engine, path.join(folder, `${name}.ndjson.gz`));
  await Promise.all(expiredBackups(await listBackups(directory)).map((file) => rm(file, { force: true })));
}

function folderOf(directory: string): string {
  return path.join(directory, "backups");
}
