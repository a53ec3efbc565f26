import type { Definition } from "../../source/definitions.ts";
import type { LineRange } from "../../protocol/citation.ts";
import type { RankedPassage } from "../retrieval.ts";
import type { Query } from "./query.ts";
import type { TermFinder } from "./term-finder.ts";

const wordLimit = 6;

/**
 * Why a passage was found, in words: the definition that the question names, else the words of it that stand there; and
 * the name of that definition if the question is of a few words, and its last line if the passage ends before.
 */
export function explain(
  { startLine, endLine, lines }: LineRange & { lines: readonly string[] },
  { query, findTerms, definitions }: { query: Query; findTerms: TermFinder; definitions: readonly Definition[] },
): Pick<RankedPassage, "reason" | "lookedUp" | "continuesTo"> {
  const joined = new Set(query.names.map((name) => name.joined));
  const defined = definitions.find(
    ({ name, line }) =>
      line >= startLine && line <= endLine && joined.has(name.replace(/[^\p{L}\p{N}]/gu, "").toLowerCase()),
  );
  if (defined !== undefined) {
    const continuesTo = defined.endLine > endLine ? defined.endLine : undefined;
    const reason = `defines \`${defined.name}\`${continuesTo === undefined ? "" : `, to line ${continuesTo}`}`;
    return { reason, lookedUp: query.isLookUp ? defined.name : undefined, continuesTo };
  }
  const terms = new Set(findTerms(lines.join("\n")).flatMap((found) => found.terms));
  const matched = query.terms.filter(({ word }, number) => terms.has(number) && !word.includes(" "));
  const words = new Set(matched.map(({ word }) => word));
  const reason = words.size === 0 ? "its path matches" : `matches ${[...words].slice(0, wordLimit).join(", ")}`;
  return { reason, lookedUp: undefined };
}
