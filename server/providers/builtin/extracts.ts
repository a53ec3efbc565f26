import { splitIdentifier, stem } from "../../lib/words.ts";
import type { LineRange } from "../../protocol/citation.ts";
import type { Hit, Stretch } from "./evidence.ts";
import { chooseLines, isWanted } from "./excerpt.ts";
import { type Question, type QuestionWord, strongStems, weightOf } from "./question.ts";

/** Lines worth showing, and why. */
export interface Extract extends LineRange {
  stretch: Stretch;
  lines: readonly string[];
  /** Why it is there, in words. */
  reason: string;
  score: number;
  /** The share of the question's words that stand there, weighed. */
  coverage: number;
  found: readonly QuestionWord[];
}

const mostExtracts = 5;
const mostOfOneFile = 2;
/** What is worth less than this share of the best is left out. */
const leastShare = 0.45;
/** Names that this many of the best extracts call are followed, and how many such names. */
const extractsFollowed = 3;
const namesFollowed = 2;
/** A definition that the best lines call need not repeat the question's words. */
const followedCoverage = 0.6;

/** The best lines of what was found, best first, none twice; and among them what the very best lines call. */
export function chooseExtracts(hits: readonly Hit[], question: Question): Extract[] {
  const extractAll = (called: readonly string[]) => hits.map((hit) => extractFrom(hit, { question, called }));
  const first = selectBest(extractAll([]), question);
  const called = namesUsed(first, question);
  return called.length === 0 ? first : selectBest(extractAll(called), question);
}

/**
 * What the best lines call and the question half names: `new RetryHandler(` where it asks about retries. The most used
 * first. What it names in full was searched for already.
 */
export function namesUsed(extracts: readonly Extract[], question: Question): string[] {
  const strong = strongStems(question);
  const counts = new Map<string, number>();
  for (const { lines } of extracts.slice(0, extractsFollowed)) {
    for (const [, name = ""] of lines.join("\n").matchAll(/([\p{L}_$][\p{L}\p{N}_$]*)\(/gu)) {
      const known = splitIdentifier(name).map((part) => strong.has(stem(part)));
      if (known.includes(true) && known.includes(false)) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  const names = [...counts].sort(([, a], [, b]) => b - a).map(([name]) => name);
  return names.slice(0, namesFollowed);
}

/** Of each resource that the question names, where it names several: who compares wants to see both. */
function selectBest(candidates: readonly Extract[], { resources }: Question): Extract[] {
  const sorted = candidates.toSorted((a, b) => b.score - a.score);
  if (resources.length < 2) return selectFrom(sorted, mostExtracts);
  const each = Math.max(1, Math.floor(mostExtracts / resources.length));
  return resources.flatMap((name) =>
    selectFrom(
      sorted.filter(({ stretch }) => stretch.resource === name),
      each,
    ),
  );
}

function selectFrom(sorted: readonly Extract[], limit: number): Extract[] {
  const chosen: Extract[] = [];
  for (const candidate of sorted) {
    if (chosen.length >= limit || candidate.score < leastShare * (chosen[0]?.score ?? 0)) break;
    const ofFile = chosen.filter(({ stretch }) => stretch.target === candidate.stretch.target);
    if (ofFile.length < mostOfOneFile && !chosen.some((other) => repeats(candidate, other))) chosen.push(candidate);
  }
  return chosen;
}

/** `called` are names that the best lines call. */
function extractFrom(hit: Hit, { question, called }: { question: Question; called: readonly string[] }): Extract {
  const { stretch } = hit;
  const { found, ...range } = chooseLines(hit, { ...question, names: [...question.names, ...called] });
  const defined = stretch.definitions
    .filter(({ line }) => line >= range.startLine && line <= range.endLine)
    .find(({ name }) => called.includes(name) || isWanted(name, question))?.name;
  const share = question.words.length === 0 ? 1 : sumOf(found) / sumOf(question.words);
  const coverage = defined !== undefined && called.includes(defined) ? Math.max(share, followedCoverage) : share;
  return {
    ...range,
    stretch,
    lines: stretch.lines.slice(range.startLine - stretch.startLine, range.endLine - stretch.startLine + 1),
    reason: reasonFor(range, { stretch, found, defined }),
    score: scoreOf(hit, { coverage, isDefined: defined !== undefined, wants: question.wants }),
    coverage,
    found,
  };
}

/** `documents “Routing”`, `defines \`handle\``, `in \`next\`, matches “route”`. */
function reasonFor(
  range: LineRange,
  { stretch, found, defined }: { stretch: Stretch; found: readonly QuestionWord[]; defined: string | undefined },
): string {
  const around = stretch.definitions.findLast(
    ({ startLine, endLine }) => startLine <= range.startLine + 1 && endLine >= range.startLine,
  );
  if (stretch.isDocument) return around === undefined ? matching(found) : `documents “${around.name}”`;
  if (defined !== undefined) return `defines \`${defined}\``;
  if (around === undefined) return matching(found);
  return `${around.line < range.startLine ? "in" : "defines"} \`${around.name}\`, ${matching(found)}`;
}

function matching(found: readonly QuestionWord[]): string {
  const strong = found.filter(({ isStrong }) => isStrong);
  const words = (strong.length > 0 ? strong : found).slice(0, 6).map(({ word }) => `“${word}”`);
  return words.length === 0 ? "its path matches" : `matches ${words.join(", ")}`;
}

/** The order of the results counts little, what the lines say more, and what kind of lines the question wants. */
function scoreOf(
  { stretch, tool, rank }: Hit,
  { coverage, isDefined, wants }: { coverage: number; isDefined: boolean; wants: Question["wants"] },
): number {
  const place = (tool === "search" ? 1 : 0.6) / (1 + 0.1 * rank);
  const definition = isDefined ? definitionWorth[wants] : 1;
  const document = stretch.isDocument ? documentWorth[wants] : 1;
  return place * (0.1 + coverage ** 1.5) * definition * document;
}

/** How to do something, and why it is so, is documented; what something is stands where it is defined. */
const definitionWorth: Readonly<Record<Question["wants"], number>> = { usage: 1.2, any: 1.5, definition: 1.6 };
const documentWorth: Readonly<Record<Question["wants"], number>> = { usage: 1.3, any: 0.9, definition: 0.7 };

/** The same lines, or nearly all of them in another file. */
function repeats(candidate: Extract, other: Extract): boolean {
  if (candidate.stretch.target === other.stretch.target) {
    return candidate.startLine <= other.endLine && other.startLine <= candidate.endLine;
  }
  const lines = new Set(other.lines.map((line) => line.trim()));
  return candidate.lines.filter((line) => lines.has(line.trim())).length >= 0.8 * candidate.lines.length;
}

function sumOf(words: readonly QuestionWord[]): number {
  return words.reduce((sum, word) => sum + weightOf(word), 0);
}
