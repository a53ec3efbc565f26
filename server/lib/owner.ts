import { createHash, randomBytes } from "node:crypto";
import { hostname } from "node:os";

/**
 * Creates a file name with its owner process, so that leftovers of killed processes can be recognised:
 * `<label>.<host>.<pid>.<random>`.
 */
export function ownedName(label: string): string {
  return `${label}.${hostTag()}.${process.pid}.${randomBytes(6).toString("hex")}`;
}

/**
 * Whether the owner process of a name has ended. A process on another host (shared disk) counts as running, and so does a
 * reused process id: callers add an age limit.
 */
export function isAbandoned(name: string): boolean {
  const [, host, pid] = /\.([0-9a-f]+)\.(\d+)\.[0-9a-f]+$/.exec(name) ?? [];
  return host === hostTag() && !isRunning(Number(pid));
}

function hostTag(): string {
  return createHash("sha256").update(hostname()).digest("hex").slice(0, 8);
}

/** Whether a process with this id runs on this host; a reused id counts. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs as another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
