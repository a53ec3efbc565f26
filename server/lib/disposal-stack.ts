/** Disposes of what was opened, the last first. `AsyncDisposableStack` does the same, but Node 20 lacks it. */
export interface DisposalStack extends AsyncDisposable {
  /** Disposes of `value` with the stack. @returns it */
  use<Value extends Disposable | AsyncDisposable>(value: Value): Value;
  /** Runs `work` when the stack is disposed of. */
  defer(work: () => unknown): void;
  /** Moves everything to a new stack: disposing of this one has no effect any more. */
  move(): DisposalStack;
}

/** Disposing of it a second time has no effect. If several parts fail, the last failure is thrown. */
export function createDisposalStack(opened: (() => unknown)[] = []): DisposalStack {
  return {
    use(value) {
      opened.push(() => (Symbol.asyncDispose in value ? value[Symbol.asyncDispose]() : value[Symbol.dispose]()));
      return value;
    },
    defer: (work) => void opened.push(work),
    move: () => createDisposalStack(opened.splice(0)),
    async [Symbol.asyncDispose]() {
      const last = opened.pop();
      if (last === undefined) return;
      try {
        await last();
      } finally {
        await this[Symbol.asyncDispose]();
      }
    },
  };
}
