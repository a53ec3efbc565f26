import { setTimeout as sleep } from "node:timers/promises";
import { CitewellError } from "../../errors.ts";
import type { Store } from "../store/store.ts";

/** What a round works with. */
export interface Round {
  /** Aborted when the polling is disposed of. */
  signal: AbortSignal;
  /** The next round begins without a pause. */
  wake(): void;
}

/** When rounds begin, besides the first. */
export interface PollingOptions {
  store: Pick<Store, "listen">;
  /** A notification on it begins a round at once. */
  channel?: string;
  /** The pause between two rounds. */
  pauseMs: number;
  /** The next round begins after the pause. */
  onFailure(error: unknown): void;
}

/** Repeats `round` in the background, one at a time, until it is disposed of; that waits for the running one. */
export async function startPolling(
  round: (round: Round) => Promise<void>,
  { store, channel, pauseMs, onFailure }: PollingOptions,
): Promise<AsyncDisposable> {
  const closing = new AbortController();
  const { signal } = closing;
  let pause = new AbortController();
  const wake = () => pause.abort();

  async function run(): Promise<void> {
    while (!signal.aborted) {
      // A call of `wake` during the round skips the pause after it.
      pause = new AbortController();
      await round({ signal, wake }).catch(onFailure);
      await sleep(pauseMs, undefined, { signal: pause.signal, ref: false }).catch(() => {});
    }
  }

  const listening = channel === undefined ? undefined : await store.listen(channel, wake);
  const running = run();
  let ended: Promise<void> | undefined;
  const end = async () => {
    closing.abort(new CitewellError("Cancelled", "the service is being stopped"));
    wake();
    await running;
    await listening?.[Symbol.asyncDispose]();
  };
  return { [Symbol.asyncDispose]: () => (ended ??= end()) };
}
