import { type ResourceLimits, Worker } from "node:worker_threads";
import { createSemaphore } from "../../lib/semaphore.ts";

/** Threads that answer one message at a time, started on demand and ended when idle. */
export interface Threads {
  /**
   * What a thread answers. Rejects where it fails or ends without an answer; work that is given up or takes too long
   * costs the thread.
   */
  run(message: object, options: { timeoutMs: number; signal: AbortSignal | undefined }): Promise<unknown>;
}

export interface ThreadsOptions {
  count: number;
  /** How long an idle thread is kept. */
  idleMs: number;
  resourceLimits: ResourceLimits;
}

export function createThreads(file: URL, { count, idleMs, resourceLimits }: ThreadsOptions): Threads {
  const idle = new Map<Worker, NodeJS.Timeout>();
  const semaphore = createSemaphore(count);

  return {
    async run(message, { timeoutMs, signal }) {
      const until = performance.now() + timeoutMs;
      signal?.throwIfAborted();
      await semaphore.acquire();
      let worker: Worker | undefined;
      try {
        signal?.throwIfAborted();
        worker = takeIdle() ?? start();
        const answer = await ask(worker, message, { signal, until });
        rest(worker);
        return answer;
      } catch (error) {
        await worker?.terminate();
        signal?.throwIfAborted();
        throw error;
      } finally {
        semaphore.release();
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
  { signal, until }: { signal: AbortSignal | undefined; until: number },
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onMessage = (answer: unknown) => settle(() => resolve(answer));
    const onError = (error: unknown) => settle(() => reject(error));
    const onExit = () => onError(new Error("the thread ended without an answer"));
    const onAbort = () => onError(signal?.reason);
    const onLate = () => onError(new Error("the thread did not answer in time"));
    const timer = setTimeout(onLate, until - performance.now());
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
