import { constants, PerformanceObserver } from "node:perf_hooks";
import v8 from "node:v8";
import vm from "node:vm";
import { debounce } from "../server/lib/debounce.ts";

/**
 * V8 lets a heap grow to several times of what is in use before it looks for garbage, the more the larger the machine:
 * a server that indexed 150 MB held 830 MB so, and 390 MB with this limit, in the same time (one run of each).
 */
const growthPercent = 30;

/**
 * Space for young objects grows to 32 MB, and until it is full nothing is freed that they hold outside of the heap: the
 * blocks that a search inflates. A program starts with half of that, and stays there. V8 takes 2 for whatever is less
 * when a thread starts.
 */
const youngGrowthFactor = 1;

/**
 * A while after the last objects were made, once more when what is kept between searches for as long as somebody asks
 * (`text-store.ts`) is garbage, too, and once after that: only where V8 has seen no work for five seconds does it make the
 * space smaller.
 */
const restsMs = [2000, 7300, 12_600];

/**
 * For long-lived processes; a short command needs no limit. V8 collects garbage only on allocation, so an idle process
 * would keep the garbage of its last question.
 */
export function limitHeapGrowth(): void {
  v8.setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
  limitYoungGrowth();
  process.on("worker", (worker) => worker.once("online", limitYoungGrowth));
  const collect = createCollector();
  const onActivity = restsMs.map((restMs) => debounce(restMs, collect));
  const observer = new PerformanceObserver((list) => {
    if (!list.getEntriesByType("gc").some(isMinor)) return;
    for (const activity of onActivity) activity();
  });
  observer.observe({ entryTypes: ["gc"] });
}

/**
 * Looks for garbage, and puts what is left side by side: what a question leaves is spread over pages that by V8's own rule
 * are kept as long as there is anything on them.
 */
function createCollector(): () => void {
  v8.setFlagsFromString("--expose-gc");
  const collect: unknown = vm.runInNewContext("gc");
  return () => {
    if (typeof collect !== "function") return;
    v8.setFlagsFromString("--compact-on-every-full-gc");
    collect();
    v8.setFlagsFromString("--no-compact-on-every-full-gc");
  };
}

function limitYoungGrowth(): void {
  v8.setFlagsFromString(`--semi-space-growth-factor=${youngGrowthFactor}`);
}

/** Of young objects alone: not what `collect` does itself. */
function isMinor(entry: object): boolean {
  const detail = "detail" in entry ? entry.detail : undefined;
  const isKnown = typeof detail === "object" && detail !== null && "kind" in detail;
  return isKnown && detail.kind === constants.NODE_PERFORMANCE_GC_MINOR;
}
