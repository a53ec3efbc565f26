import { packageReference, type PackageType } from "../../protocol/kinds/names.ts";
import { stopWords } from "../../source/words.ts";

/** A text that names more dependencies is about dependencies in general. */
export const namedLimit = 5;

/** Packages such as `which` and `once` count as named only in backticks or as a reference, `npm:once`. */
function isPlainWord(type: PackageType, name: string, text: string): boolean {
  return stopWords.has(name) && !text.includes(`\`${name}\``) && !text.includes(packageReference(type, name));
}

/**
 * Whether a text has a dependency's name as a word. `word` is the pattern of one, `spell` makes all ways to write a name
 * the same.
 */
export function wordTest(
  text: string,
  { type, word, spell = (name) => name }: { type: PackageType; word: string; spell?: (name: string) => string },
): ({ name }: { name: string }) => boolean {
  const found = text.match(new RegExp(`(?<![\\w/@.-])${word}`, "g")) ?? [];
  const words = new Set(found.map((it) => spell(it.replace(/\.+$/, ""))));
  return ({ name }) => words.has(spell(name)) && !isPlainWord(type, name, text);
}
