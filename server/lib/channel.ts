/** A queue from `push` to iteration; `close` ends the iteration after the pushed values. */
export interface Channel<Value> extends AsyncIterable<Value> {
  push(value: Value): void;
  close(): void;
}

/** Turns callbacks into a stream. Unbounded, so only for few, small values; supports one reader. */
export function createChannel<Value>(): Channel<Value> {
  const waiting: Value[] = [];
  let isClosed = false;
  let wake = () => {};
  return {
    push(value) {
      waiting.push(value);
      wake();
    },
    close() {
      isClosed = true;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      while (true) {
        yield* waiting.splice(0);
        if (waiting.length > 0) continue;
        if (isClosed) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
