import type { Citation } from "../../server/protocol/citation.ts";
import { hyperlink, type Mark, paint, type Style } from "./style.ts";
import { displayWidth, isWide, splitGraphemes } from "./width.ts";

/** A run of clean text that looks the same throughout; `\n` in it is a line end that must stay. */
export interface Span {
  text: string;
  marks: readonly Mark[];
  href?: string | undefined;
  /** The citation that the text is a part of. */
  citation?: Citation | undefined;
}

/** What decides how text is styled, at any width. */
export interface Look extends Pick<Style, "color" | "links" | "unicode"> {
  /** What a view shows behind each citation. */
  noteCitation?: (citation: Citation) => readonly Span[];
}

/** Spans as text with escape sequences. */
export function paintSpans(spans: readonly Span[], style: Pick<Style, "color" | "links">): string {
  return joinAlike(spans)
    .map(({ text, marks, href }) => {
      const painted = paint(text, marks, style);
      return href === undefined ? painted : hyperlink(painted, href, style);
    })
    .join("");
}

/** A line without the white space at its end. */
export function trimEnd(line: readonly Span[]): Span[] {
  const last = line.at(-1);
  if (last === undefined) return [];
  const text = last.text.trimEnd();
  return text === "" ? trimEnd(line.slice(0, -1)) : [...line.slice(0, -1), { ...last, text }];
}

/** The width of spans in columns. */
export function spansWidth(spans: readonly Span[]): number {
  return spans.reduce((width, { text }) => width + displayWidth(text), 0);
}

/**
 * Breaks at white space, and between wide characters, which are written without it. A word that is longer than `width`
 * has its own line and is never cut: a path stays one that can be clicked and copied.
 */
export function wrapSpans(spans: readonly Span[], width: number): Span[][] {
  const lines: Span[][] = [[]];
  let column = 0;
  for (const { space, word, isForced } of wordsOf(spans)) {
    const wordWidth = spansWidth(word);
    const gap = column === 0 || space === undefined ? 0 : displayWidth(space.text);
    if (isForced || (column > 0 && column + gap + wordWidth > width)) {
      lines.push([...word]);
      column = wordWidth;
    } else {
      lines.at(-1)?.push(...(gap > 0 && space !== undefined ? [space] : []), ...word);
      column += gap + wordWidth;
    }
  }
  return lines;
}

/** The width of the longest part that is never broken. */
export function longestWord(spans: readonly Span[]): number {
  return wordsOf(spans).reduce((longest, { word }) => Math.max(longest, spansWidth(word)), 0);
}

/** What may not be broken, with the white space before it, and whether a line must end there. */
interface Word {
  space?: Span | undefined;
  word: Span[];
  isForced: boolean;
}

function wordsOf(spans: readonly Span[]): Word[] {
  const words: Word[] = [{ word: [], isForced: false }];
  for (const span of spans) {
    for (const part of span.text.match(/\n|[^\S\n]+|\S+/g) ?? []) {
      if (part === "\n") words.push({ word: [], isForced: true });
      else if (/^\s/.test(part)) words.push({ space: { ...span, text: part }, word: [], isForced: false });
      else addPart(words, { ...span, text: part });
    }
  }
  return words.filter(({ word, isForced }) => word.length > 0 || isForced);
}

/** Adds to the last word, and begins another one wherever a wide character allows a break. */
function addPart(words: Word[], part: Span): void {
  for (const text of breakable(part.text)) {
    const word = words.at(-1)?.word;
    const last = word?.at(-1)?.text;
    if (word === undefined || (last !== undefined && mayBreak(last, text))) {
      words.push({ word: [{ ...part, text }], isForced: false });
    } else word.push({ ...part, text });
  }
}

/** Runs of narrow characters, and wide ones one by one. */
function breakable(text: string): string[] {
  const parts: string[] = [];
  let narrow = "";
  for (const grapheme of splitGraphemes(text)) {
    if (!isWide(grapheme)) narrow += grapheme;
    else {
      if (narrow !== "") parts.push(narrow);
      parts.push(grapheme);
      narrow = "";
    }
  }
  return narrow === "" ? parts : [...parts, narrow];
}

/** Closing marks stay with what they close, and opening ones with what they open. */
function mayBreak(before: string, after: string): boolean {
  if (/^[\p{Pe}\p{Pf}\p{Po}]/u.test(after) || /[\p{Ps}\p{Pi}]$/u.test(before)) return false;
  return isWide(before) || isWide(after);
}

function joinAlike(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    if (last !== undefined && last.href === span.href && last.marks.join() === span.marks.join()) {
      joined[joined.length - 1] = { ...last, text: last.text + span.text };
    } else joined.push(span);
  }
  return joined;
}
