import { stem } from "./words.ts";

/** Words that stand for one another in code: abbreviations first, then words of the field. Each group is measured. */
const groups = `
  arg argument | auth authentication authorization | cmd command | db database | dir directory | env environment
  init initialize | msg message | param parameter | repo repository | req request | resp response
  temp tmp temporary | util utility
  config configuration settings options preferences | twice already duplicate`;

/** The other words of a group, by the stem of a word. */
const synonyms: ReadonlyMap<string, readonly string[]> = new Map(
  groups
    .split(/[|\n]/)
    .map((group) => group.trim().split(" "))
    .flatMap((words) =>
      words.map((word) => [stem(word), words.filter((other) => stem(other) !== stem(word))] as const),
    ),
);

/** Other words for what a word means, by its stem. */
export function synonymsOf(stemmed: string): readonly string[] {
  return synonyms.get(stemmed) ?? [];
}
