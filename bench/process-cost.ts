import { readFileSync } from "node:fs";

export interface ProcessCost {
  /** Of processors, all threads together. */
  seconds: number;
  /** Resident at most, of all processes at the same time; what files they map, Node itself, counts once. */
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
    let ownMb = 0;
    let mappedMb = 0;
    for (const id of [pid, ...childrenOf(pid)]) {
      const figures = figuresOf(id);
      if (figures === undefined) continue;
      seconds.set(id, figures.seconds);
      ownMb += figures.ownMb;
      mappedMb = Math.max(mappedMb, figures.mappedMb);
    }
    megabytes = Math.max(megabytes, Math.round(ownMb + mappedMb));
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

interface Figures {
  seconds: number;
  /** Resident, and nobody else's. */
  ownMb: number;
  /** Resident, of files: the same for each process of one program. */
  mappedMb: number;
}

/** proc_pid_status(5), proc_pid_stat(5). Undefined when it has ended. */
function figuresOf(pid: number): Figures | undefined {
  const status = readIfThere(`/proc/${pid}/status`) ?? "";
  const stat = readIfThere(`/proc/${pid}/stat`);
  const megabytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1]) / 1024;
  const ownMb = megabytes("RssAnon") + megabytes("RssShmem");
  if (Number.isNaN(ownMb) || stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return {
    seconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
    ownMb,
    mappedMb: megabytes("RssFile"),
  };
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
