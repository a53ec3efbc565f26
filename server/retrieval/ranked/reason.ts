import { type Definition, definitionsAround } from "../../source/definitions.ts";
import type { LineRange } from "../../protocol/citation.ts";
import { splitIdentifier, stem } from "../../source/words.ts";
import type { RankedPassage } from "../retrieval.ts";
import type { Query } from "./query.ts";
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
  const terms = new Set(findTerms(lines.join("\n")).flatMap((found) => found.terms));
  const matched = query.terms.filter(({ word }, number) => terms.has(number) && !word.includes(" "));
  const words = new Set(matched.map(({ word }) => word));
  const reason = words.size === 0 ? "its path matches" : `matches ${[...words].slice(0, wordLimit).join(", ")}`;
  return { reason, lookedUp: undefined };
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
