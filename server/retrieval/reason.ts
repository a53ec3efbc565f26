import type { Definition } from "../lib/definitions.ts";
import type { LineRange } from "../protocol/citation.ts";
import type { Query } from "./query.ts";
import { forEachWord, termsOf } from "./vocabulary.ts";

const wordLimit = 6;

/** Why a passage was found, in words: the definition that the question names, else the words of it that stand there. */
export function explain(
  { startLine, endLine, lines }: LineRange & { lines: readonly string[] },
  { query, definitions }: { query: Query; definitions: readonly Definition[] },
): string {
  const joined = new Set(query.names.map((name) => name.joined));
  const defined = definitions.find(
    ({ name, line }) =>
      line >= startLine && line <= endLine && joined.has(name.replace(/[^\p{L}\p{N}]/gu, "").toLowerCase()),
  );
  if (defined !== undefined) return `defines \`${defined.name}\``;
  const terms = new Set(lines.flatMap(termsIn));
  const matched = query.terms.filter(({ term, word }) => terms.has(term) && !word.includes(" "));
  const words = new Set(matched.map(({ word }) => word));
  return words.size === 0 ? "its path matches" : `matches ${[...words].slice(0, wordLimit).join(", ")}`;
}

function termsIn(line: string): string[] {
  const terms: string[] = [];
  forEachWord(line, (word) => terms.push(...termsOf(word)));
  return terms;
}
