import { readFileSync } from "node:fs";

export interface ProcessCost {
  /** Of processors, all threads together. */
  seconds: number;
  /** Resident at most, of all processes at the same time. */
  megabytes: number;
}

export interface CostWatch extends Disposable {
  cost(): ProcessCost;
}

/** What comes after the last look is missed. */
const sampleMs = 20;
/** Of processors' time, in /proc. */
const ticksPerSecond = 100;

/** Watches what a process and those that it started cost; Linux only. */
export function watchCost(pid: number): CostWatch {
  const seconds = new Map<number, number>();
  let megabytes = 0;
  const sample = () => {
    let residentMb = 0;
    for (const id of [pid, ...childrenOf(pid)]) {
      const figures = figuresOf(id);
      if (figures === undefined) continue;
      seconds.set(id, figures.seconds);
      residentMb += figures.residentMb;
    }
    megabytes = Math.max(megabytes, Math.round(residentMb));
  };
  const sampling = setInterval(sample, sampleMs);
  return {
    cost() {
      sample();
      return { seconds: [...seconds.values()].reduce((sum, one) => sum + one, 0), megabytes };
    },
    [Symbol.dispose]: () => clearInterval(sampling),
  };
}

/** Those that its first thread started, as Node's does: proc_pid_task(5). */
function childrenOf(pid: number): number[] {
  const list = readIfThere(`/proc/${pid}/task/${pid}/children`) ?? "";
  return list.split(" ").filter(Boolean).map(Number);
}

/** proc_pid_status(5), proc_pid_stat(5). Undefined when it has ended. */
function figuresOf(pid: number): { seconds: number; residentMb: number } | undefined {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readIfThere(`/proc/${pid}/status`) ?? "")?.[1];
  const stat = readIfThere(`/proc/${pid}/stat`);
  if (kilobytes === undefined || stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return {
    seconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
    residentMb: Number(kilobytes) / 1024,
  };
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
