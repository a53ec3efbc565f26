import { once } from "node:events";
import { type ResourceLimits, type TransferListItem, Worker } from "node:worker_threads";
import { createTurns } from "../turns.ts";

/** Threads that answer one message at a time, started when they are needed and ended when nobody needs them. */
export interface Threads {
  /**
   * What a thread answers. Rejects where it fails or ends without an answer; work that is given up costs the thread.
   */
  run(message: object, options: { transfer: TransferListItem[]; signal: AbortSignal | undefined }): Promise<unknown>;
}

export interface ThreadsOptions {
  count: number;
  /** How long one is kept that has nothing to do. */
  idleMs: number;
  resourceLimits: ResourceLimits;
}

export function createThreads(file: URL, { count, idleMs, resourceLimits }: ThreadsOptions): Threads {
  const idle = new Map<Worker, NodeJS.Timeout>();
  const turns = createTurns(count);

  return {
    async run(message, { transfer, signal }) {
      signal?.throwIfAborted();
      await turns.take();
      let worker: Worker | undefined;
      try {
        signal?.throwIfAborted();
        worker = takeIdle() ?? start();
        const answer = await ask(worker, message, { transfer, signal });
        rest(worker);
        return answer;
      } catch (error) {
        await worker?.terminate();
        signal?.throwIfAborted();
        throw error;
      } finally {
        turns.giveBack();
      }
    },
  };

  function start(): Worker {
    const worker = new Worker(file, { resourceLimits });
    // Who waits for it hears of it; what it does to itself later is nobody's fault.
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

async function ask(
  worker: Worker,
  message: object,
  { transfer, signal }: { transfer: TransferListItem[]; signal: AbortSignal | undefined },
): Promise<unknown> {
  const settled = new AbortController();
  const waiting = signal === undefined ? settled.signal : AbortSignal.any([signal, settled.signal]);
  worker.postMessage(message, transfer);
  try {
    const ended = once(worker, "exit", { signal: waiting }).then(() => {
      throw new Error("the thread ended without an answer");
    });
    const [answer]: unknown[] = await Promise.race([once(worker, "message", { signal: waiting }), ended]);
    return answer;
  } finally {
    settled.abort();
  }
}
