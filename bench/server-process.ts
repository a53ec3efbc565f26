import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";

/** Where `citewell serve` listens. */
export async function addressOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error("the server has no output");
  const [line] = await once(stdout, "data");
  return String(line)
    .replace(/^listening on /, "")
    .trim();
}

/** The most that was resident so far, in MB, as Linux counts it. */
export function mostResidentMb({ pid }: ChildProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024);
}
