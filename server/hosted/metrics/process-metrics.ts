import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Metrics } from "./metrics.ts";

const resolutionMs = 10;

/** Memory and delays of this process, under the names that dashboards for Node.js use. */
export function addProcessMetrics(metrics: Metrics): Disposable {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  const gauge = (name: string, help: string, read: () => number) =>
    metrics.gauge(name, help, () => [{ value: read() }]);
  const startedAt = Date.now() / 1000 - process.uptime();
  gauge("process_start_time_seconds", "When the process started, in seconds since the epoch.", () => startedAt);
  gauge("process_resident_memory_bytes", "Memory of the process.", () => process.memoryUsage.rss());
  gauge("nodejs_heap_size_used_bytes", "Used part of the JavaScript heap.", () => process.memoryUsage().heapUsed);
  gauge("nodejs_eventloop_lag_seconds", "The longest delay of the event loop since the last scrape.", () => {
    // What is measured is the time between two ticks of a timer.
    const longest = Math.max(0, delays.max / 1e9 - resolutionMs / 1000);
    delays.reset();
    return longest;
  });
  return { [Symbol.dispose]: () => delays.disable() };
}
