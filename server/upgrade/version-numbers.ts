/** The numbers of a version, without what follows them: `[2, 0]` of `v2.0rc1`. */
export function numbersOf(version: string): number[] {
  return (/^\D*(\d+(?:\.\d+)*)/.exec(version)?.[1] ?? "").split(".").filter(Boolean).map(Number);
}

/** Compares versions by their numbers alone: a release is where its pre-releases are. */
export function compareNumbers(one: string, other: string): number {
  const [a, b] = [numbersOf(one), numbersOf(other)];
  for (let place = 0; place < Math.max(a.length, b.length); place++) {
    const difference = (a[place] ?? 0) - (b[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
