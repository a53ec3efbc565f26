/** Of the configured names, those that questions are asked of. What names none that is there means all. */
export function chosenNames(selection: readonly string[], all: readonly string[]): readonly string[] {
  const known = selection.filter((name) => all.includes(name));
  return known.length === 0 ? all : known;
}

/** The selection once boxes were ticked and cleared: all is told as none, so that a new resource counts by itself. */
export function selectionAfter(
  changes: readonly { name: string; isChecked: boolean }[],
  { selection, all }: { selection: readonly string[]; all: readonly string[] },
): readonly string[] {
  const chosen = new Set(chosenNames(selection, all));
  for (const { name, isChecked } of changes) {
    if (isChecked) chosen.add(name);
    else chosen.delete(name);
  }
  return all.every((name) => chosen.has(name)) ? [] : all.filter((name) => chosen.has(name));
}
