import type { LineRange } from "../../protocol/citation.ts";
import { separates } from "../../source/blocks.ts";
import type { Stretch } from "./evidence.ts";
import { type Context, heightOf, textOf } from "./excerpt-context.ts";
import { linesWith } from "./line-words.ts";
import { nameFit, type QuestionWord, weightOf } from "./question.ts";

/** A candidate selection of lines of a hit, with the question words in it. */
export interface Candidate {
  pieces: LineRange[];
  found: QuestionWord[];
  /** The chosen lines, without their surroundings. */
  range: LineRange;
}

/** The cost of a line; definitions that the question names are free. */
const perLine = 0.03;

/**
 * Scores a candidate. Question words add to the value (repeated ones only a little), and definitions that the question
 * names add the most. Length, and definitions or paragraphs that are cut, reduce it. All terms have a similar magnitude,
 * so that none decides alone.
 */
export function valueOf({ range, pieces, found }: Candidate, context: Context): number {
  const { stretch, question } = context;
  const isShown = (line: number) => pieces.some(({ startLine, endLine }) => line >= startLine && line <= endLine);
  let value = -perLine * heightOf(pieces, stretch);
  for (const word of found) {
    const lines = pieces.flatMap((piece) => linesWith(word, piece, context.words));
    value += weightOf(word) * (1 + 0.15 * Math.min(lines.length - 1, 4));
  }
  let isOutside = range.startLine - 1;
  for (const { name, line, startLine, endLine } of stretch.definitions) {
    const hasHead = startLine >= range.startLine && line <= range.endLine;
    const hasComment = startLine < line && startLine >= range.startLine && startLine <= range.endLine;
    const hasEnd = endLine >= range.startLine && endLine <= range.endLine;
    const fit = isShown(line) ? nameFit(name, question) : 0;
    value += fit;
    if (startLine === range.startLine && endLine === range.endLine) value += 0.6;
    if (startLine === range.startLine && fit > 0) value += perLine * fit * heightOf(pieces, stretch);
    else if (hasHead && !hasEnd) value -= 0.3;
    if (hasComment && !hasHead && !isShown(line)) value -= 0.5;
    if (hasEnd && !hasHead && endLine < range.endLine) value -= 0.8;
    // A definition next to another one, not named by the question.
    if (hasHead && fit === 0 && startLine > isOutside && isOutside >= range.startLine) value -= 0.3;
    if (hasHead) isOutside = Math.max(isOutside, endLine);
  }
  if (!isBorder(range.startLine - 1, stretch)) value -= 0.25;
  if (!isBorder(range.endLine + 1, stretch)) value -= 0.25;
  return value;
}

/** Whether a block begins or ends at this line. */
function isBorder(line: number, stretch: Stretch): boolean {
  const { startLine, endLine, definitions } = stretch;
  if (line < startLine || line > endLine || separates(textOf(stretch, line), stretch)) return true;
  return definitions.some(
    (one) => one.startLine === line || one.startLine === line + 1 || one.endLine === line || one.endLine === line - 1,
  );
}
