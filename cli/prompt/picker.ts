/** Something to choose in a list. */
export interface Choice {
  label: string;
  detail?: string | undefined;
}

/** Choices whose label has the letters of `query` in their order and close together, the best first: beginnings, then whole runs. */
export function matchChoices<Item extends Choice>(items: readonly Item[], query: string): readonly Item[] {
  if (query === "") return items;
  const wanted = query.toLowerCase();
  return items
    .map((item, index) => ({ item, index, score: scoreOf(item.label.toLowerCase(), wanted) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || a.index - b.index)
    .map(({ item }) => item);
}

/** 0 where a letter is missing. */
function scoreOf(label: string, wanted: string): number {
  const at = label.indexOf(wanted);
  if (at !== -1) return 1000 - Math.min(at, 500) + (isWordStart(label, at) ? 400 : 0);
  const starts = label.split("").flatMap((letter, index) => (letter === wanted.charAt(0) ? [index] : []));
  const gap = Math.min(...starts.map((start) => gapFrom(start, label, wanted)));
  return gap <= wanted.length * (label.length > longLabel ? 1 : 3) ? 500 - gap : 0;
}

/** In a longer line almost any letters are found in their order: there, fewer may be left out between them. */
const longLabel = 40;

/** How many letters are left out between those that are wanted; infinite where one is missing. */
function gapFrom(start: number, label: string, wanted: string): number {
  let from = start;
  let gap = 0;
  for (const letter of wanted) {
    const found = label.indexOf(letter, from);
    if (found === -1) return Infinity;
    gap += found - from;
    from = found + 1;
  }
  return gap;
}

function isWordStart(label: string, at: number): boolean {
  return at === 0 || /[^\p{L}\p{N}]/u.test(label.charAt(at - 1));
}
