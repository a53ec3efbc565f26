/** The middle value, by nearest rank. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** A quantile by nearest rank; `share` is 0 to 1. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
