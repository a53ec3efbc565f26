import type { Definition } from "../../source/definitions.ts";
import type { LineRange } from "../../protocol/citation.ts";
import { separates } from "../../source/blocks.ts";
import type { Stretch } from "./evidence.ts";
import { type Context, textOf } from "./excerpt-context.ts";
import { linesWith } from "./line-words.ts";
import type { QuestionWord } from "./question.ts";

/**
 * Removes the definitions, sections and other blocks of a passage that stand before the first or after the last one with
 * a word of the question.
 */
export function withoutEdges(passage: LineRange, blocks: readonly LineRange[], context: Context): LineRange {
  const { stretch, question } = context;
  const blocksWith = (words: readonly QuestionWord[]) =>
    blocks.filter((block) => words.some((word) => linesWith(word, block, context.words).length > 0));
  const strong = blocksWith(question.words.filter(({ isStrong }) => isStrong));
  const own = strong.length > 0 ? strong : blocksWith(question.words);
  const [first, last] = [own[0], own.at(-1)];
  if (first === undefined || last === undefined) return passage;
  const within = stretch.definitions.filter(
    ({ startLine }) => startLine >= passage.startLine && startLine <= passage.endLine,
  );
  const isAround = ({ startLine, endLine }: Definition, line: number) => startLine <= line && endLine >= line;
  const opening = within.findLast((one) => isAround(one, first.startLine));
  const closing = within.findLast((one) => isAround(one, last.endLine));
  return {
    startLine: Math.max(passage.startLine, opening?.startLine ?? first.startLine),
    endLine: Math.min(passage.endLine, closing?.endLine ?? last.endLine),
  };
}

/** Removes trailing lines that only introduce what follows: a heading, a line that opens a block. */
export function trimmed({ startLine, endLine }: LineRange, stretch: Stretch): LineRange {
  const leadsOn = (line: number) => {
    const text = textOf(stretch, line).trim();
    if (text === "") return true;
    if (!stretch.isDocument) return opensBlock(line, text);
    return separates(textOf(stretch, line - 1), stretch) && /^(?:#+\s.*|\*\*[^*]+\*\*|.*:)$/.test(text);
  };
  const opensBlock = (line: number, text: string) => {
    return /[{([]$/.test(text) && !stretch.definitions.some((one) => one.line === line && one.startLine === startLine);
  };
  let last = endLine;
  while (last > startLine && leadsOn(last)) last--;
  return { startLine, endLine: last };
}

/** Adds the heading above, the head of the enclosing function, or the definition that a comment belongs to. */
export function withSurroundings({ startLine, endLine }: LineRange, stretch: Stretch): LineRange[] {
  const around = stretch.definitions.findLast(
    (one) => one.startLine <= startLine && one.endLine >= endLine && !(one.startLine === startLine),
  );
  const own = stretch.definitions.find((one) => one.startLine <= startLine && one.line > endLine);
  const isBeginning = stretch.definitions.some((one) => one.line === startLine || one.startLine === startLine);
  const pieces: LineRange[] = [{ startLine, endLine }];
  if (own !== undefined) pieces.push(signatureOf(own, stretch));
  else if (around !== undefined && !isBeginning && around.line < startLine)
    pieces.unshift(signatureOf(around, stretch));
  return joined(pieces, stretch);
}

/** The lines of a definition's signature. */
export function signatureOf({ line, endLine }: Definition, stretch: Stretch): LineRange {
  if (stretch.isDocument) return { startLine: line, endLine: line };
  const limit = Math.min(endLine, line + 6);
  let last = line;
  while (last < limit && !/(?:[{:;]|=>)\s*$/.test(textOf(stretch, last))) last++;
  return { startLine: line, endLine: last < limit ? last : line };
}

/** Joins pieces that are separated by blank lines only. */
export function joined(pieces: readonly LineRange[], stretch: Stretch): LineRange[] {
  const all: LineRange[] = [];
  for (const piece of pieces.toSorted((a, b) => a.startLine - b.startLine)) {
    const last = all.at(-1);
    let next = last === undefined ? piece.startLine : last.endLine + 1;
    while (next < piece.startLine && textOf(stretch, next).trim() === "") next++;
    if (last !== undefined && next >= piece.startLine) last.endLine = Math.max(last.endLine, piece.endLine);
    else all.push({ ...piece });
  }
  return all;
}
