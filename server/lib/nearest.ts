/** The candidates that a person may have meant, best first: within two edits, or containing what was written. */
export function nearest(wanted: string, candidates: Iterable<string>, { limit = 3 } = {}): string[] {
  const lower = wanted.toLowerCase();
  const scored = [...candidates].map((candidate) => ({
    candidate,
    distance: closeness(lower, candidate.toLowerCase()),
  }));
  return scored
    .filter(({ distance }) => distance < 3)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, limit)
    .map(({ candidate }) => candidate);
}

function closeness(wanted: string, candidate: string): number {
  if (wanted.length >= 3 && candidate.includes(wanted)) return 1;
  return Math.abs(wanted.length - candidate.length) > 2 ? Infinity : editDistance(wanted, candidate);
}

/** Letters changed, left out, added, or swapped with their neighbours; one row at a time. */
export function editDistance(a: string, b: string): number {
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
  }
  return row[b.length] ?? 0;
}
