/** Compares lists of numbers, such as those of versions, one by one: what is missing at the end counts as 0. */
export function compareNumbers(left: readonly number[], right: readonly number[]): number {
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const [a, b] = [left[at] ?? 0, right[at] ?? 0];
    if (a !== b) return a < b ? -1 : 1;
  }
  return 0;
}
