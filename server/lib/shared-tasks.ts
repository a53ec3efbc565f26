import { untilAborted } from "./abort.ts";

/** Deduplicates concurrent work by key. */
export interface SharedTasks<Result, Report> {
  /**
   * Joins the running task of `key`, or starts `task`. A caller that aborts `signal` leaves with its reason. When the
   * last caller leaves, the task's own signal aborts, and that caller waits for the cleanup. A late caller receives the
   * latest report.
   */
  run(
    key: string,
    task: (options: { signal: AbortSignal; report: (report: Report) => void }) => Promise<Result>,
    options: { signal?: AbortSignal | undefined; onReport?: ((report: Report) => void) | undefined },
  ): Promise<Result>;
}

interface Running<Result, Report> {
  result: Promise<Result>;
  controller: AbortController;
  waiters: Set<{ onReport: ((report: Report) => void) | undefined }>;
  latest?: Report;
}

/** Creates an empty set of shared tasks. */
export function createSharedTasks<Result, Report>(): SharedTasks<Result, Report> {
  const tasks = new Map<string, Running<Result, Report>>();
  return {
    async run(key, task, { signal, onReport }) {
      signal?.throwIfAborted();
      const running = tasks.get(key) ?? start(key, task);
      const waiter = { onReport };
      running.waiters.add(waiter);
      if (running.latest !== undefined) onReport?.(running.latest);
      try {
        return await untilAborted(running.result, signal);
      } finally {
        running.waiters.delete(waiter);
        if (running.waiters.size === 0 && tasks.get(key) === running) {
          tasks.delete(key);
          running.controller.abort(signal?.reason);
          await running.result.catch(() => {});
        }
      }
    },
  };

  function start(key: string, task: Parameters<SharedTasks<Result, Report>["run"]>[1]): Running<Result, Report> {
    const controller = new AbortController();
    const report = (value: Report) => {
      running.latest = value;
      for (const { onReport } of running.waiters) onReport?.(value);
    };
    // Start in a microtask, so that the caller has joined before the first report.
    const result = Promise.resolve()
      .then(() => task({ signal: controller.signal, report }))
      .finally(() => {
        if (tasks.get(key) === running) tasks.delete(key);
      });
    const running: Running<Result, Report> = { result, controller, waiters: new Set() };
    tasks.set(key, running);
    return running;
  }
}
