/** Values pushed on one side, iterated on the other; `close` ends the iteration after what was pushed. */
export interface Channel<Value> extends AsyncIterable<Value> {
  push(value: Value): void;
  close(): void;
}

/** For callbacks that must become a stream. Unbounded: for few and small values only. One reader. */
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
