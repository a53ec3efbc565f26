/** Something to choose in a list. */
export interface Choice {
  label: string;
  detail?: string | undefined;
}

/** Choices whose label has the letters of `query` in their order, the best first: beginnings, then whole runs. */
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
  let from = 0;
  let gaps = 0;
  for (const letter of wanted) {
    const found = label.indexOf(letter, from);
    if (found === -1) return 0;
    gaps += found - from;
    from = found + 1;
  }
  return Math.max(1, 500 - gaps);
}

function isWordStart(label: string, at: number): boolean {
  return at === 0 || /[^\p{L}\p{N}]/u.test(label.charAt(at - 1));
}
