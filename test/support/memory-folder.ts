import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import os from "node:os";
import path from "node:path";

const memory = "/dev/shm";
/** Short: terminals break longer paths. */
const folderOf = (pid: number | string) => path.join(memory, `citewell-${pid}`);
/** Far more than a run writes, and than its processes need beside it. */
const leastBytes = 8 * 2 ** 30;

/**
 * Makes a folder in memory the temporary one of this process and of those that it starts, where Linux offers one with
 * room: databases, repositories and editors are thrown away, and writing them to a disk takes processor time. It goes when this process ends; what is kept for later runs stays where it was (`database-templates.ts`).
 */
export function writeToMemory(): void {
  // The configuration that calls this is loaded for each project.
  if (process.env["CITEWELL_KEPT"] !== undefined || !hasRoom()) return;
  removeLeftOvers();
  const folder = folderOf(process.pid);
  mkdirSync(folder);
  // PostgreSQL runs as another user.
  chmodSync(folder, 0o1777);
  process.env["CITEWELL_KEPT"] = os.tmpdir();
  process.env["TMPDIR"] = folder;
  process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
}

/**
 * A folder for the modules as Vitest runs them, which the projects of a run share: each would transform all modules of the
 * product again, in four seconds of a core. It goes when this process ends, so that no run reads those of an earlier one.
 */
export function moduleFolder(): string {
  const folder = path.join(os.tmpdir(), `citewell-modules-${process.pid}`);
  if (!existsSync(folder)) {
    mkdirSync(folder);
    process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  }
  return folder;
}

function hasRoom(): boolean {
  if (!existsSync(memory) || !existsSync("/proc/mounts")) return false;
  const mount = readFileSync("/proc/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" "))
    .find(([, place]) => place === memory);
  // Tests run programs from their folders.
  if (mount === undefined || (mount[3] ?? "").split(",").includes("noexec")) return false;
  const { bavail, bsize } = statfsSync(memory);
  return Math.min(bavail * bsize, os.freemem()) >= leastBytes;
}

/** Folders of runs that were killed. */
function removeLeftOvers(): void {
  for (const name of readdirSync(memory)) {
    const pid = /^citewell-(\d+)$/.exec(name)?.[1];
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
    rmSync(folderOf(pid), { recursive: true, force: true, maxRetries: 5 });
  }
}
