export interface Kept<Source, Value> extends AsyncDisposable {
  /** What was opened for the same key, or anew. A failure is not kept. */
  for(source: Source): Promise<Value>;
}

/**
 * Opens something costly once for as long as what it is made of stays the same. What was opened earlier stays open for
 * those who use it, until all of it is disposed of.
 */
export function keepLatest<Source, Value extends AsyncDisposable>({
  open,
  keyOf,
}: {
  open: (source: Source) => Promise<Value>;
  keyOf: (source: Source) => string;
}): Kept<Source, Value> {
  const opened = new Set<Promise<Value>>();
  let latest: { key: string; value: Promise<Value> } | undefined;
  return {
    async for(source) {
      const key = keyOf(source);
      if (latest?.key !== key) latest = { key, value: open(source) };
      const { value } = latest;
      opened.add(value);
      try {
        return await value;
      } catch (error) {
        opened.delete(value);
        if (latest.value === value) latest = undefined;
        throw error;
      }
    },
    async [Symbol.asyncDispose]() {
      const results = await Promise.allSettled(opened);
      const values = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
      await Promise.all(values.map((value) => value[Symbol.asyncDispose]()));
    },
  };
}
