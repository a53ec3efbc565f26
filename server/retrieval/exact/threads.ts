import { type ResourceLimits, Worker } from "node:worker_threads";
import { createFairSemaphore } from "../../lib/fair-semaphore.ts";

/** Threads that answer one message at a time, started on demand and ended when idle. */
export interface Threads {
  /**
   * What a thread answers. Rejects where it fails or ends without an answer; work that is given up or takes too long
   * costs the thread. Also rejects if no thread was free before `until`.
   */
  run(message: object, options: RunOptions): Promise<unknown>;
}

export interface RunOptions {
  /** Waiting groups get threads in turn (`createFairSemaphore`). */
  group: string;
  /** When the answer is no longer wanted, on the clock of `performance.now()`. */
  until: number;
  /** How long the thread may take. */
  timeoutMs: number;
  signal: AbortSignal | undefined;
}

export interface ThreadsOptions {
  count: number;
  /** How long an idle thread is kept. */
  idleMs: number;
  resourceLimits: ResourceLimits;
}

export function createThreads(file: URL, { count, idleMs, resourceLimits }: ThreadsOptions): Threads {
  const idle = new Map<Worker, NodeJS.Timeout>();
  const semaphore = createFairSemaphore(count);

  return {
    async run(message, { group, until, timeoutMs, signal }) {
      signal?.throwIfAborted();
      await semaphore.acquire(group);
      let worker: Worker | undefined;
      try {
        signal?.throwIfAborted();
        if (performance.now() > until) throw new Error("no thread was free in time");
        worker = takeIdle() ?? start();
        const answer = await ask(worker, message, { signal, timeoutMs });
        rest(worker);
        return answer;
      } catch (error) {
        await worker?.terminate();
        signal?.throwIfAborted();
        throw error;
      } finally {
        semaphore.release(group);
      }
    },
  };

  function start(): Worker {
    const worker = new Worker(file, { resourceLimits });
    // A pending caller gets the error; a later one has no receiver.
    worker.on("error", () => {});
    worker.on("exit", () => leave(worker));
    return worker;
  }

  function takeIdle(): Worker | undefined {
    const [worker] = idle.keys();
    if (worker === undefined) return undefined;
    leave(worker);
    worker.ref();
    return worker;
  }

  function rest(worker: Worker): void {
    worker.unref();
    idle.set(worker, setTimeout(() => void worker.terminate(), idleMs).unref());
  }

  function leave(worker: Worker): void {
    clearTimeout(idle.get(worker));
    idle.delete(worker);
  }
}

function ask(
  worker: Worker,
  message: object,
  { signal, timeoutMs }: Pick<RunOptions, "signal" | "timeoutMs">,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onMessage = (answer: unknown) => settle(() => resolve(answer));
    const onError = (error: unknown) => settle(() => reject(error));
    const onExit = () => onError(new Error("the thread ended without an answer"));
    const onAbort = () => onError(signal?.reason);
    const onLate = () => onError(new Error("the thread did not answer in time"));
    const timer = setTimeout(onLate, timeoutMs);
    const settle = (end: () => void) => {
      clearTimeout(timer);
      worker.off("message", onMessage).off("error", onError).off("exit", onExit);
      signal?.removeEventListener("abort", onAbort);
      end();
    };
    worker.on("message", onMessage).on("error", onError).on("exit", onExit);
    signal?.addEventListener("abort", onAbort);
    worker.postMessage(message);
  });
}
