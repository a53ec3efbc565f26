import { readFileSync } from "node:fs";

/** The cost of a process tree. */
export interface ProcessCost {
  /** CPU time of all threads. */
  seconds: number;
  /** Peak resident memory of all processes together; shared mapped files, such as Node itself, count once. */
  megabytes: number;
}

/** A running measurement. */
export interface CostWatch extends Disposable {
  cost(): ProcessCost;
}

/** The sampling interval; later activity is missed. */
const sampleMs = 20;
/** The unit of CPU time in /proc. */
const ticksPerSecond = 100;

/** Measures the cost of a process and its children. Linux only. */
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

/** The children started by the main thread, as in Node: proc_pid_task(5). */
function childrenOf(pid: number): number[] {
  const list = readIfThere(`/proc/${pid}/task/${pid}/children`) ?? "";
  return list.split(" ").filter(Boolean).map(Number);
}

interface Figures {
  seconds: number;
  /** Private resident memory. */
  ownMb: number;
  /** Resident mapped files, shared by processes of one program. */
  mappedMb: number;
}

/** Reads proc_pid_status(5) and proc_pid_stat(5). Undefined if the process has ended. */
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
