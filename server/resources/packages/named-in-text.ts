import { packageReference, type PackageType } from "../../protocol/kinds/names.ts";
import { stopWords } from "../../source/words.ts";

/** A text that names more dependencies is about dependencies in general. */
export const namedLimit = 5;

/** Packages such as `which` and `once` count as named only in backticks or as a reference, `npm:once`. */
export function isPlainWord(type: PackageType, name: string, text: string): boolean {
  return stopWords.has(name) && !text.includes(`\`${name}\``) && !text.includes(packageReference(type, name));
}
