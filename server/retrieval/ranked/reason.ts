import { type Definition, definitionsAround } from "../../source/definitions.ts";
import type { LineRange } from "../../protocol/citation.ts";
import { splitIdentifier, stem } from "../../source/words.ts";
import type { RankedPassage } from "../retrieval.ts";
import type { Query, QueryTerm } from "./query.ts";
import type { TermFinder } from "./term-finder.ts";

const wordLimit = 6;

/**
 * Why a passage was found, in words: the definition that the question names, else the words of it that stand there; and
 * the name of that definition if the question is that name, and its last line if the passage ends before.
 */
export function explain(
  { startLine, endLine, lines }: LineRange & { lines: readonly string[] },
  { query, findTerms, definitions }: { query: Query; findTerms: TermFinder; definitions: readonly Definition[] },
): Pick<RankedPassage, "reason" | "lookedUp" | "continuesTo"> {
  const joined = new Set(query.names.map((name) => name.joined));
  const named = definitions.filter(
    ({ name, line }) =>
      line >= startLine && line <= endLine && joined.has(name.replace(/[^\p{L}\p{N}]/gu, "").toLowerCase()),
  );
  const whole = query.isLookUp ? named.find((one) => isWholeQuestion(one, { query, definitions })) : undefined;
  const defined = whole ?? named[0];
  if (defined !== undefined) {
    const continuesTo = defined.endLine > endLine ? defined.endLine : undefined;
    const reason = `defines \`${defined.name}\`${continuesTo === undefined ? "" : `, to line ${continuesTo}`}`;
    return { reason, lookedUp: whole?.name, continuesTo };
  }
  const text = lines.join("\n");
  const terms = new Set(findTerms(text).flatMap((found) => found.terms));
  const matched = query.terms.filter((_, number) => terms.has(number));
  const words = new Set(matched.flatMap((term) => wordThere(term, text.toLowerCase())));
  const reason = words.size === 0 ? "its path matches" : `matches ${[...words].slice(0, wordLimit).join(", ")}`;
  return { reason, lookedUp: undefined };
}

/**
 * The word of a term as the question writes it. Of a name that the lines do not have whole, the part that they have: a
 * label that names more sends its reader to look for what is not there.
 */
function wordThere({ term, word }: QueryTerm, text: string): string[] {
  if (word.includes(" ")) return [];
  const parts = splitIdentifier(word);
  if (parts.length < 2 || text.includes(word.toLowerCase())) return [word];
  return parts.filter((part) => part === term || stem(part) === term).slice(0, 1);
}

/** Whether all words of the question belong to a name, or to the names of the definitions around it. */
function isWholeQuestion(
  { name, line }: Definition,
  { query, definitions }: { query: Query; definitions: readonly Definition[] },
): boolean {
  const around = definitionsAround({ startLine: line, endLine: line }, definitions);
  const names = [name, ...around.map((one) => one.name)];
  const stems = new Set(names.flatMap(splitIdentifier).map(stem));
  return query.tellingStems.every((own) => stems.has(own));
}
