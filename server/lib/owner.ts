import { createHash, randomBytes } from "node:crypto";
import { hostname } from "node:os";

/**
 * Names that say which process something on disk belongs to, so that others can tell what a killed one left behind:
 * `<label>.<host>.<pid>.<random>`.
 */
export function ownedName(label: string): string {
  return `${label}.${hostTag()}.${process.pid}.${randomBytes(6).toString("hex")}`;
}

/**
 * Whether the process that an owned name belongs to is gone. A process of another host (a shared disk) counts as
 * running, and so does one whose id was given to another process since: callers add a limit of age.
 */
export function isAbandoned(name: string): boolean {
  const [, host, pid] = /\.([0-9a-f]+)\.(\d+)\.[0-9a-f]+$/.exec(name) ?? [];
  return host === hostTag() && !isRunning(Number(pid));
}

function hostTag(): string {
  return createHash("sha256").update(hostname()).digest("hex").slice(0, 8);
}

/** Whether there is such a process, of this host; one that was given the id since counts as well. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, as another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
