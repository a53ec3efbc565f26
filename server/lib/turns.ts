/** Runs work of the same key one after the other. */
export function createTurns(): <Result>(key: string, work: () => Promise<Result>) => Promise<Result> {
  const turns = new Map<string, Promise<void>>();
  return async (key, work) => {
    const before = turns.get(key);
    let end = () => {};
    const turn = new Promise<void>((resolve) => {
      end = resolve;
    });
    turns.set(key, turn);
    await before;
    try {
      return await work();
    } finally {
      end();
      if (turns.get(key) === turn) turns.delete(key);
    }
  };
}
