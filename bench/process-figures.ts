import { readdirSync, readFileSync } from "node:fs";

/** Resource usage of a process. */
export interface ProcessFigures {
  residentMb: number;
  /** The most it was. */
  peakMb: number;
  handles: number;
  threads: number;
  children: number;
}

/** Reads resident memory, open file descriptors, threads and direct children of a process. Linux only. */
export function processFigures(pid: number): ProcessFigures {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1]);
  return {
    residentMb: Math.round(field("VmRSS") / 1024),
    peakMb: Math.round(field("VmHWM") / 1024),
    handles: readdirSync(`/proc/${pid}/fd`).length,
    threads: field("Threads"),
    children: readdirSync("/proc").filter((entry) => /^\d+$/.test(entry) && parentOf(entry) === pid).length,
  };
}

/** The program name in parentheses may contain spaces and parentheses: proc_pid_stat(5). */
function parentOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    // The process ended after it was listed.
    return undefined;
  }
}
