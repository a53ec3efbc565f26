/** Optimal string alignment distance: substitutions, deletions, insertions, adjacent swaps. Infinity beyond `limit`. */
export function editDistance(a: string, b: string, { limit = Infinity } = {}): number {
  if (Math.abs(a.length - b.length) > limit) return Infinity;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwapped ? (before[j - 2] ?? 0) + 1 : Infinity;
      next.push(Math.min(substitution, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
    // A swap needs the row before the previous one.
    if (Math.min(...before) > limit && Math.min(...row) > limit) return Infinity;
  }
  const distance = row[b.length] ?? 0;
  return distance > limit ? Infinity : distance;
}
