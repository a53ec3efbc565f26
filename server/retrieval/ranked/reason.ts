import type { Definition } from "../../source/definitions.ts";
import type { LineRange } from "../../protocol/citation.ts";
import type { Query } from "./query.ts";
import type { TermFinder } from "./term-finder.ts";

const wordLimit = 6;

/**
 * Why a passage was found, in words: the definition that the question names, else the words of it that stand there; and
 * the name of that definition if the question is of a few words.
 */
export function explain(
  { startLine, endLine, lines }: LineRange & { lines: readonly string[] },
  { query, findTerms, definitions }: { query: Query; findTerms: TermFinder; definitions: readonly Definition[] },
): { reason: string; lookedUp: string | undefined } {
  const joined = new Set(query.names.map((name) => name.joined));
  const defined = definitions.find(
    ({ name, line }) =>
      line >= startLine && line <= endLine && joined.has(name.replace(/[^\p{L}\p{N}]/gu, "").toLowerCase()),
  );
  if (defined !== undefined)
    return { reason: `defines \`${defined.name}\``, lookedUp: query.isLookUp ? defined.name : undefined };
  const terms = new Set(findTerms(lines.join("\n")).flatMap((found) => found.terms));
  const matched = query.terms.filter(({ word }, number) => terms.has(number) && !word.includes(" "));
  const words = new Set(matched.map(({ word }) => word));
  const reason = words.size === 0 ? "its path matches" : `matches ${[...words].slice(0, wordLimit).join(", ")}`;
  return { reason, lookedUp: undefined };
}
