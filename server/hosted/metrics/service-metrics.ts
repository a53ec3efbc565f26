import type { Store } from "../store/store.ts";
import type { Histogram, Metrics, Sample } from "./metrics.ts";

/** How a call of a tool ended: `rejected` is the client's mistake, `refused` a limit. */
export type CallOutcome = "ok" | "rejected" | "refused" | "cancelled" | "failed";

/** What the parts of a process report. */
export interface Meters {
  /** A request that is not for health checks was answered. */
  request(status: number): void;
  call(tool: string, outcome: CallOutcome, ms: number): void;
  question: QuestionMeter;
  fetch(outcome: FetchOutcome, ms: number): void;
  /** A call was passed to another node; `failed` if this one had to answer it. */
  passed(outcome: "answered" | "failed"): void;
}

/** How a fetch ended: `returned` to the queue by a process that stops. */
export type FetchOutcome = "fetched" | "failed" | "returned";

/** What is measured of questions, of agents and of the web page. */
export interface QuestionMeter {
  /** A question runs until it is disposed of. */
  start(): Disposable;
  /** What a question used that was answered. */
  answered(use: { tokens: number; costUsd: number }): void;
}

/** Adds the metrics of the service. Labels never have data of a project. */
export function createMeters(metrics: Metrics): Meters {
  const requests = metrics.counter("citewell_http_requests_total", "Answered requests, without health checks.");
  const calls = metrics.histogram("citewell_tool_call_duration_seconds", "Calls of tools by tool and outcome.");
  const questions = metrics.counter("citewell_questions_total", "Questions of agents and of the web page that ended.");
  const tokens = metrics.counter("citewell_model_tokens_total", "Tokens that answered questions used.");
  const cost = metrics.counter("citewell_model_cost_usd_total", "Cost of models for answered questions in US$.");
  const fetches = metrics.histogram("citewell_fetch_duration_seconds", "Fetches of resources by outcome.");
  const passed = metrics.counter("citewell_calls_passed_total", "Calls that were passed to another node, by outcome.");
  let running = 0;
  metrics.gauge("citewell_questions_running", "Questions that this process answers.", () => [{ value: running }]);
  return {
    request: (status) => requests.add({ status: String(status) }),
    call: (tool, outcome, ms) => calls.observe({ tool, outcome }, ms / 1000),
    passed: (outcome) => passed.add({ outcome }),
    fetch: (outcome, ms) => fetches.observe({ outcome }, ms / 1000),
    question: {
      start() {
        running += 1;
        return {
          [Symbol.dispose]() {
            running -= 1;
            questions.add({});
          },
        };
      },
      answered(use) {
        tokens.add({}, use.tokens);
        cost.add({}, use.costUsd);
      },
    },
  };
}

/** The store, with the duration of its statements and transactions, and its connections, as metrics. */
export function measureStore(store: Store, metrics: Metrics): Store {
  const durations = metrics.histogram(
    "citewell_database_duration_seconds",
    "Statements and transactions, with the wait for a connection.",
  );
  const { connections } = store;
  if (connections !== undefined) {
    metrics.gauge("citewell_database_connections", "Connections of the pool, and what waits for one.", (): Sample[] =>
      Object.entries(connections()).map(([state, value]) => ({ labels: { state }, value })),
    );
  }
  return {
    ...store,
    query: (sql, params) => timed(durations, () => store.query(sql, params)),
    exec: (sql) => timed(durations, () => store.exec(sql)),
    tx: (work, first) => timed(durations, () => store.tx(work, first)),
    asProject: (project, work, options) => timed(durations, () => store.asProject(project, work, options)),
  };
}

async function timed<Value>(durations: Histogram, work: () => Promise<Value>): Promise<Value> {
  const startedAt = performance.now();
  try {
    return await work();
  } finally {
    durations.observe({}, (performance.now() - startedAt) / 1000);
  }
}
