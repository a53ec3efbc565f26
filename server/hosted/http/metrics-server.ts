import type { RequestListener } from "node:http";
import { createDisposalStack } from "../../lib/disposal-stack.ts";
import { readJobTotals } from "../jobs/states.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { addProcessMetrics } from "../metrics/process-metrics.ts";
import type { Store } from "../store/store.ts";
import { serve, type Serving } from "./serving.ts";

/** What the metrics are of, and where they are served. */
export interface MetricsServerOptions {
  metrics: Metrics;
  store: Store;
  role: string;
  version: string;
  host: string;
  port: number;
}

/** Serves `GET /metrics`, without access control: it listens on a port of its own. @throws ServerFailed (the port is taken) */
export async function serveMetrics(options: MetricsServerOptions): Promise<Pick<Serving, "url"> & AsyncDisposable> {
  const { metrics, store, role, version } = options;
  metrics.gauge("citewell_build_info", "The version and role of this process.", () => [
    { labels: { version, role }, value: 1 },
  ]);
  metrics.gauge("citewell_jobs", "Fetches of all projects by state; the same on every node.", async () => {
    const { waiting, running, failed } = await readJobTotals(store);
    return Object.entries({ waiting, running, failed }).map(([state, value]) => ({ labels: { state }, value }));
  });
  metrics.gauge("citewell_jobs_oldest_wait_seconds", "How long the oldest fetch that is due waits.", async () => [
    { value: (await readJobTotals(store)).waitedSeconds },
  ]);
  await using opened = createDisposalStack();
  opened.use(addProcessMetrics(metrics));
  const { url } = opened.use(await serve(answerMetrics(metrics), options));
  const running = opened.move();
  return { url, [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() };
}

function answerMetrics(metrics: Metrics): RequestListener {
  return (request, response) => {
    if (request.method !== "GET" || request.url !== "/metrics") {
      response.writeHead(404, { "Content-Type": "text/plain" }).end("metrics are at GET /metrics\n");
      return;
    }
    const type = "text/plain; version=0.0.4; charset=utf-8";
    void metrics.text().then((text) => response.writeHead(200, { "Content-Type": type }).end(text));
  };
}
