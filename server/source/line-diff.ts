/** What differs between two texts, as unified diffs say it: lines are 1-based, lines that are the same are not part of it. */
export interface LineChange {
  /** The first removed line; without any, the line that the added ones are before. */
  oldStart: number;
  oldCount: number;
  newStart: number;
  newCount: number;
}

/** How many steps a pair of texts without lines of their own is compared in; beyond it, all of it counts as replaced. */
const stepLimit = 600;

/**
 * The changes between two lists of lines, in order. Lines that both have once are matched first, so that a moved brace
 * does not tear functions apart; what is between them is compared by the shortest edit.
 */
export function diffLines(before: readonly string[], after: readonly string[]): LineChange[] {
  const matched: Match[] = [];
  match({ before, after, oldStart: 0, oldEnd: before.length, newStart: 0, newEnd: after.length }, matched);
  const changes: LineChange[] = [];
  let [oldAt, newAt] = [0, 0];
  for (const [oldIndex, newIndex] of [...matched, [before.length, after.length] as const]) {
    if (oldIndex > oldAt || newIndex > newAt) {
      changes.push({
        oldStart: oldAt + 1,
        oldCount: oldIndex - oldAt,
        newStart: newAt + 1,
        newCount: newIndex - newAt,
      });
    }
    [oldAt, newAt] = [oldIndex + 1, newIndex + 1];
  }
  return changes;
}

/** The indexes of a line that both have. */
type Match = readonly [oldIndex: number, newIndex: number];

interface Span {
  before: readonly string[];
  after: readonly string[];
  oldStart: number;
  oldEnd: number;
  newStart: number;
  newEnd: number;
}

/** Adds the matches of a span, in order. */
function match(span: Span, found: Match[]): void {
  const { before, after } = span;
  let { oldStart, oldEnd, newStart, newEnd } = span;
  while (oldStart < oldEnd && newStart < newEnd && before[oldStart] === after[newStart]) {
    found.push([oldStart++, newStart++]);
  }
  const tail: Match[] = [];
  while (oldEnd > oldStart && newEnd > newStart && before[oldEnd - 1] === after[newEnd - 1]) {
    tail.push([--oldEnd, --newEnd]);
  }
  if (oldStart < oldEnd && newStart < newEnd) {
    const middle: Span = { before, after, oldStart, oldEnd, newStart, newEnd };
    const anchors = uniqueMatches(middle);
    if (anchors.length === 0) matchShortest(middle, found);
    let [oldAt, newAt] = [oldStart, newStart];
    for (const [oldIndex, newIndex] of anchors) {
      match({ before, after, oldStart: oldAt, oldEnd: oldIndex, newStart: newAt, newEnd: newIndex }, found);
      found.push([oldIndex, newIndex]);
      [oldAt, newAt] = [oldIndex + 1, newIndex + 1];
    }
    if (anchors.length > 0) match({ before, after, oldStart: oldAt, oldEnd, newStart: newAt, newEnd }, found);
  }
  found.push(...tail.toReversed());
}

/** The longest list of lines in the same order that both have once. */
function uniqueMatches({ before, after, oldStart, oldEnd, newStart, newEnd }: Span): Match[] {
  const places = new Map<string, { count: number; oldIndex: number; newCount: number; newIndex: number }>();
  for (let index = oldStart; index < oldEnd; index++) {
    const line = before[index] ?? "";
    const place = places.get(line);
    if (place === undefined) places.set(line, { count: 1, oldIndex: index, newCount: 0, newIndex: 0 });
    else place.count++;
  }
  for (let index = newStart; index < newEnd; index++) {
    const place = places.get(after[index] ?? "");
    if (place !== undefined) [place.newCount, place.newIndex] = [place.newCount + 1, index];
  }
  const pairs = [...places.values()].filter(({ count, newCount }) => count === 1 && newCount === 1);
  return longestIncreasing(pairs.map(({ oldIndex, newIndex }) => [oldIndex, newIndex] as const));
}

/** Of pairs in the order of their first number, the most whose second numbers rise (patience sorting). */
function longestIncreasing(pairs: readonly Match[]): Match[] {
  const ends: number[] = [];
  const previous: number[] = [];
  for (const [index, [, value]] of pairs.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[ends[middle] ?? 0]?.[1] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    previous[index] = low === 0 ? -1 : (ends[low - 1] ?? -1);
    ends[low] = index;
  }
  const chosen: Match[] = [];
  for (let index = ends.at(-1) ?? -1; index >= 0; index = previous[index] ?? -1) {
    const pair = pairs[index];
    if (pair !== undefined) chosen.push(pair);
  }
  return chosen.toReversed();
}

/** The shortest edit: https://doi.org/10.1007/BF01840446 (Myers, 1986). */
function matchShortest({ before, after, oldStart, oldEnd, newStart, newEnd }: Span, found: Match[]): void {
  const [oldCount, newCount] = [oldEnd - oldStart, newEnd - newStart];
  const trace: Map<number, number>[] = [];
  let reached = new Map([[1, 0]]);
  const limit = Math.min(oldCount + newCount, stepLimit);
  for (let step = 0; step <= limit; step++) {
    trace.push(reached);
    const next = new Map(reached);
    for (let diagonal = -step; diagonal <= step; diagonal += 2) {
      let x = stepFrom(reached, diagonal, step);
      while (x < oldCount && x - diagonal < newCount && before[oldStart + x] === after[newStart + x - diagonal]) x++;
      next.set(diagonal, x);
      if (x >= oldCount && x - diagonal >= newCount) return collect(step);
    }
    reached = next;
  }

  function collect(steps: number): void {
    const matches: Match[] = [];
    let [x, y] = [oldCount, newCount];
    for (let step = steps; step >= 0; step--) {
      const at = trace[step] ?? new Map<number, number>();
      const start = stepFrom(at, x - y, step);
      while (x > start && y > 0) matches.push([oldStart + --x, newStart + --y]);
      const isInsert = isInserted(at, x - y, step);
      if (isInsert) y--;
      else x--;
    }
    found.push(...matches.toReversed());
  }
}

/** Whether the furthest way to a diagonal adds a line; else it removes one. */
function isInserted(reached: ReadonlyMap<number, number>, diagonal: number, step: number): boolean {
  return (
    diagonal === -step || (diagonal !== step && (reached.get(diagonal - 1) ?? -1) < (reached.get(diagonal + 1) ?? -1))
  );
}

/** Where on a diagonal a step ends, before lines that are the same. */
function stepFrom(reached: ReadonlyMap<number, number>, diagonal: number, step: number): number {
  return isInserted(reached, diagonal, step) ? (reached.get(diagonal + 1) ?? 0) : (reached.get(diagonal - 1) ?? 0) + 1;
}
