import type { LineRange } from "../protocol/citation.ts";
import { separates, type Stretch } from "./blocks.ts";

/** The first paragraphs from a line on, without badges and tables of contents. `isWhole` includes diagrams, lists and tables. */
export function introduction(
  stretch: Stretch,
  { from, height, isWhole = false }: { from: number; height: number; isWhole?: boolean },
): LineRange[] {
  const pieces: LineRange[] = [];
  let remaining: number = height;
  let hasProse = false;
  let skippedLevel: number | undefined;
  for (const paragraph of paragraphsFrom(stretch, from)) {
    const lines = stretch.lines.slice(
      paragraph.startLine - stretch.startLine,
      paragraph.endLine - stretch.startLine + 1,
    );
    const text = lines.join("\n");
    const isLink = /^#{1,6} \s*\[[^\]]*\]\([^)]*\)\s*$/.test(text.trim());
    const isContents = lines.filter((line) => /^\s*(?:[-*+]|\d+\.) \[[^\]]*\]\(#/.test(line)).length * 2 > lines.length;
    if (isLink || isContents) continue;
    const isHeading = /^(?:#{1,6} .*|.+\n(?:={3,}|-{3,})|<h([1-6])\b[^>]*>[^\n]*<\/h\1>)$/i.test(text.trim());
    if (isHeading) {
      const level = levelOf(text.trim());
      if (skippedLevel === undefined || level <= skippedLevel)
        skippedLevel = !isWhole && promotion.test(text) ? level : undefined;
    }
    if (skippedLevel !== undefined && !hasProse) continue;
    if (
      isHeading &&
      hasProse &&
      !isWhole &&
      /\b(?:contribut|licen[cs]e|sponsor|support|communit|team|people|table of contents)/i.test(text)
    )
      break;
    if (!isWhole && !isHeading && !isProse(text) && !(hasProse && /^\s*(?:```|[-*] )/.test(text))) continue;
    const own = lines.reduce((sum, line) => sum + Math.max(1, line.length / 100), 0);
    if (own > remaining && hasProse) break;
    const last = pieces.at(-1);
    const isNext = last !== undefined && isBlankBetween(stretch, last.endLine, paragraph.startLine);
    if (isNext) last.endLine = paragraph.endLine;
    else pieces.push({ ...paragraph });
    remaining -= own;
    if (!isHeading) hasProse = true;
  }
  return hasProse ? withoutLastHeading(pieces, stretch).map((piece) => cutTo(piece, height)) : [];
}

/** Headings of what a project says of those who pay for it, and of where to ask. */
const promotion = /\b(?:donat\w+|sponsor\w*|backers?|funding|for enterprise|questions?|(?:getting|need) help)\b/i;

function levelOf(heading: string): number {
  const marks = /^#+/.exec(heading)?.[0].length ?? Number(/^<h(\d)/i.exec(heading)?.[1] ?? 0);
  return marks > 0 ? marks : heading.endsWith("=") ? 1 : 2;
}

/** The first sentence of a paragraph, which may go over several lines. */
export function firstSentence(paragraph: string): string {
  return /^[^]*?[.!?](?=\s|$)/.exec(paragraph)?.[0] ?? paragraph;
}

function cutTo({ startLine, endLine }: LineRange, height: number): LineRange {
  return { startLine, endLine: Math.min(endLine, startLine + Math.ceil(1.5 * height)) };
}

/** Drops a trailing heading without text below it. */
function withoutLastHeading(pieces: readonly LineRange[], { lines, startLine }: Stretch): LineRange[] {
  const last = pieces.at(-1);
  if (last === undefined) return [];
  const shown = lines.slice(last.startLine - startLine, last.endLine - startLine + 1);
  const length = shown.findLastIndex((line) => !/^\s*(?:#.*)?$/.test(line)) + 1;
  const own = length === 0 ? [] : [{ ...last, endLine: last.startLine + length - 1 }];
  return [...pieces.slice(0, -1), ...own];
}

function* paragraphsFrom(stretch: Stretch, from: number): Generator<LineRange> {
  let start: number | undefined;
  let isFenced = false;
  let isComment = false;
  for (let line = from; line <= stretch.endLine + 1; line++) {
    const text = stretch.lines[line - stretch.startLine] ?? "";
    if (/^\s*(?:```|~~~)/.test(text)) isFenced = !isFenced;
    const isOpen: boolean = !isFenced && (isComment || /^\s*<!--/.test(text));
    isComment = isOpen && !text.includes("-->");
    const isEnd = line > stretch.endLine || isOpen || (!isFenced && separates(text, { isDocument: true }));
    if (!isEnd) start ??= line;
    else if (start !== undefined) {
      yield { startLine: start, endLine: line - 1 };
      start = undefined;
    }
  }
}

/** Whether the text is more than links, images and markup. */
function isProse(text: string): boolean {
  const bare = text
    .replace(/&\w+;/g, " ")
    .replace(/<a\b[^>]*>[^<]*<\/a>|<[^>]*>/g, " ")
    .replace(/!?\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])?:?/g, " ")
    .replace(/https?:\/\/\S+/g, " ")
    .replace(/^[ \t]*(?:\.\. |:[\w ]+:).*(?:\n[ \t]+\S.*)*/gm, " ");
  return (bare.match(/\p{L}{2,}/gu) ?? []).length >= 2 && !/^\s*(?:[-*] |\d+\. |\||```)/.test(text);
}

function isBlankBetween({ lines, startLine }: Stretch, before: number, after: number): boolean {
  return lines.slice(before + 1 - startLine, after - startLine).every((line) => line.trim() === "");
}
