import { languageOf } from "../../lib/languages.ts";
import type { LineRange } from "../../protocol/citation.ts";
import type { Hit, Stretch } from "./evidence.ts";
import { chooseLines, isWanted } from "./excerpt.ts";
import { type Question, type QuestionWord, weightOf } from "./question.ts";

/** Lines worth showing, and why. */
export interface Extract extends LineRange {
  stretch: Stretch;
  lines: readonly string[];
  /** Why it is there, in words. */
  reason: string;
  score: number;
  /** The share of the question's words that stand there, weighed. */
  coverage: number;
}

const mostExtracts = 6;
const mostOfOneFile = 2;
/** A definition that was looked for by its name, because the best lines use it, need not repeat the question's words. */
const followedCoverage = 0.6;
/** What is worth less than this share of the best is left out. */
const leastShare = 0.35;

/** The best lines of what was found, best first; none twice. */
export function chooseExtracts(hits: readonly Hit[], question: Question): Extract[] {
  const candidates = hits.map((hit) => extractFrom(hit, question)).sort((a, b) => b.score - a.score);
  const chosen: Extract[] = [];
  for (const candidate of candidates) {
    if (chosen.length >= mostExtracts || candidate.score < leastShare * (chosen[0]?.score ?? 0)) break;
    const ofFile = chosen.filter(({ stretch }) => stretch.target === candidate.stretch.target);
    if (ofFile.length < mostOfOneFile && !chosen.some((other) => repeats(candidate, other))) chosen.push(candidate);
  }
  return chosen;
}

function extractFrom(hit: Hit, question: Question): Extract {
  const { stretch } = hit;
  const { found, ...range } = chooseLines(hit, question);
  const defined = stretch.definitions.find(
    ({ name, line }) =>
      line >= range.startLine && line <= range.endLine && (name === hit.query || isWanted(name, question)),
  );
  const isFollowed = defined !== undefined && defined.name === hit.query;
  const share = sumOf(found) / Math.max(1, sumOf(question.words));
  const coverage = isFollowed ? Math.max(share, followedCoverage) : share;
  return {
    ...range,
    stretch,
    lines: stretch.lines.slice(range.startLine - stretch.startLine, range.endLine - stretch.startLine + 1),
    reason: reasonFor(range, { stretch, found, defined: defined?.name }),
    score: scoreOf(hit, { coverage, isDefined: defined !== undefined, wants: question.wants }),
    coverage,
  };
}

/** `documents “Routing”`, `defines \`handle\``, `in \`next\`, matches “route”`. */
function reasonFor(
  range: LineRange,
  { stretch, found, defined }: { stretch: Stretch; found: readonly QuestionWord[]; defined: string | undefined },
): string {
  const around = stretch.definitions.findLast(
    ({ line, endLine }) => line <= range.startLine + 1 && endLine >= range.startLine,
  );
  if (isDocument(stretch)) return around === undefined ? matching(found) : `documents “${around.name}”`;
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
  const definition = isDefined ? (wants === "usage" ? 1.2 : 1.5) : 1;
  const document = isDocument(stretch) ? (wants === "usage" ? 1.3 : 0.8) : 1;
  return place * (0.1 + coverage ** 1.5) * definition * document;
}

function isDocument({ path }: Stretch): boolean {
  return /^(?:markdown|rst|asciidoc)$/.test(languageOf(path).tag);
}

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
