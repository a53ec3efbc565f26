import { type Definition, definitionHolding, definitionsAround, type WordPlaces } from "../../source/definitions.ts";
import type { LineRange } from "../../protocol/citation.ts";
import { splitIdentifier, stem } from "../../source/words.ts";
import type { RankedPassage } from "../retrieval.ts";
import type { Query, QueryName, QueryTerm } from "./query.ts";
import type { TermStatistics } from "./score.ts";

const wordLimit = 6;
/** Beside the name of a definition. A model pays for each word: measured (`bench/economy.ts`). */
const fewWords = 2;

/** A passage with the terms of the question in each of its lines, by their numbers. */
interface ReadPassage extends LineRange {
  lines: readonly string[];
  terms: readonly (readonly number[])[];
}

/**
 * Why a passage was found, in words: the definition that the question names, else the words of it that stand there and the
 * definition that holds most of them; and the name of the former if the question is that name, and its last line if the
 * passage ends before.
 */
export function explain(
  passage: ReadPassage,
  { query, statistics, definitions }: { query: Query; statistics: TermStatistics; definitions: readonly Definition[] },
): Pick<RankedPassage, "reason" | "lookedUp" | "continuesTo"> {
  const { startLine, endLine, lines, terms } = passage;
  const holding = definitionHolding(placesOf(passage, statistics), definitions);
  const named = definitions.filter(
    ({ name, line }) => line >= startLine && line <= endLine && isNamed(name, query.names),
  );
  const whole = query.isLookUp ? named.find((one) => isWholeQuestion(one, { query, definitions })) : undefined;
  // A plain word is the name of what holds it, or only a word.
  const written = query.names.filter(({ isPlain }) => !isPlain);
  const defined = whole ?? named.find((one) => one === holding || isNamed(one.name, written));
  if (defined !== undefined) {
    const continuesTo = defined.endLine > endLine ? defined.endLine : undefined;
    const reason = `defines \`${defined.name}\`${continuesTo === undefined ? "" : `, to line ${continuesTo}`}`;
    return { reason, lookedUp: whole?.name, continuesTo };
  }
  const text = lines.join("\n").toLowerCase();
  const found = new Set(terms.flat());
  const matched = query.terms.filter((_, number) => found.has(number));
  const words = new Set(matched.flatMap((term) => wordThere(term, text)));
  if (words.size === 0) return { reason: "its path matches", lookedUp: undefined };
  // Passages show what they begin with, and the scope what they are a part of.
  const isShown =
    holding === undefined ||
    holding.startLine === startLine ||
    (holding.startLine < startLine && holding.endLine >= endLine);
  const [place, limit] = isShown ? ["", wordLimit] : [`, in \`${holding.name.replaceAll("`", "")}\``, fewWords];
  return { reason: `matches ${[...words].slice(0, limit).join(", ")}${place}`, lookedUp: undefined };
}

function placesOf({ startLine, terms }: ReadPassage, { values }: TermStatistics): WordPlaces[] {
  const lines = new Map<number, number[]>();
  for (const [index, own] of terms.entries())
    for (const term of new Set(own)) lines.set(term, [...(lines.get(term) ?? []), startLine + index]);
  return [...lines].map(([term, places]) => ({ worth: values[term] ?? 0, lines: places }));
}

function isNamed(name: string, names: readonly QueryName[]): boolean {
  const own = name.replace(/[^\p{L}\p{N}]/gu, "").toLowerCase();
  return names.some(({ joined }) => joined === own);
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
