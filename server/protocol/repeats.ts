/** How many hits with the same text are shown. */
const shownOfSame = 3;
const placesNamed = 10;

/**
 * Keeps the first three hits of those with the same text, apart from white space, and names the places of the others in a
 * sentence. It does not quote the text, which may hold secrets. A single fourth hit is kept.
 */
export function collapseRepeats<Hit>(
  hits: readonly Hit[],
  { textOf, placeOf }: { textOf: (hit: Hit) => string; placeOf: (hit: Hit) => string },
): { kept: Hit[]; repeated: string[] } {
  const groups = new Map<string, [Hit, ...Hit[]]>();
  for (const hit of hits) {
    const text = textOf(hit).replaceAll(/\s+/g, " ").trim();
    const group = groups.get(text);
    if (group === undefined) groups.set(text, [hit]);
    else group.push(hit);
  }
  const many = [...groups.values()].filter(({ length }) => length > shownOfSame + 1);
  const dropped = new Set(many.flatMap((group) => group.slice(shownOfSame)));
  const repeated = many.map((group) => {
    const others = group.slice(shownOfSame);
    const more = others.length - placesNamed;
    const named = others.slice(0, placesNamed).map(placeOf).join(", ") + (more > 0 ? `, and ${more} more` : "");
    return `${others.length} more places have the text of ${placeOf(group[0])}: ${named}`;
  });
  return { kept: hits.filter((hit) => !dropped.has(hit)), repeated };
}
