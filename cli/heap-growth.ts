import { constants, PerformanceObserver } from "node:perf_hooks";
import v8 from "node:v8";
import vm from "node:vm";
import { debounce } from "../server/lib/debounce.ts";
import { restMs as textsKeptMs } from "../server/retrieval/text-store.ts";

/**
 * V8 lets a heap grow to several times of what is in use before it collects garbage, the more the larger the machine: a
 * server that indexed 150 MB held 830 MB, and 390 MB with this limit, in the same time (one run of each).
 */
const growthPercent = 30;

/** Keeps the space for young objects at the 16 MB that it starts with, instead of 32. */
const youngGrowthFactor = 1;

/** V8 collects garbage only when it allocates, so an idle process would keep that of its last question. */
const idleMs = textsKeptMs + 2000;

/** Limits long-lived processes; a short command needs no limit. */
export function limitHeapGrowth(): void {
  v8.setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
  limitYoungGrowth();
  process.on("worker", (worker) => worker.once("online", limitYoungGrowth));
  collectWhenIdle();
}

function limitYoungGrowth(): void {
  v8.setFlagsFromString(`--semi-space-growth-factor=${youngGrowthFactor}`);
}

/** A collection of young objects shows that the program was at work. */
function collectWhenIdle(): void {
  v8.setFlagsFromString("--expose-gc");
  const collect: unknown = vm.runInNewContext("gc");
  const whenIdle = debounce(idleMs, () => {
    if (typeof collect === "function") collect();
  });
  const observer = new PerformanceObserver((list) => {
    if (list.getEntriesByType("gc").some(isMinor)) whenIdle();
  });
  observer.observe({ entryTypes: ["gc"] });
}

function isMinor(entry: object): boolean {
  const detail = "detail" in entry ? entry.detail : undefined;
  const isKnown = typeof detail === "object" && detail !== null && "kind" in detail;
  return isKnown && detail.kind === constants.NODE_PERFORMANCE_GC_MINOR;
}
