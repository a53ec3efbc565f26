import { type Fence, fenceAfter } from "../lib/markdown-fence.ts";

/** A heading and its section. Lines are 1-based, inclusive. */
export interface Section {
  name: string;
  line: number;
  endLine: number;
}

/** Finds the sections of a document. Each ends before the next heading of its level or above, without trailing blank lines. */
export function findSections(family: "markdown" | "rst", lines: readonly string[]): Section[] {
  const headings = family === "markdown" ? markdownHeadings(lines) : rstHeadings(lines);
  return headings.map(({ name, level, line }, index) => {
    let next = index + 1;
    while ((headings[next]?.level ?? 0) > level) next++;
    let endLine = (headings[next]?.line ?? lines.length + 1) - 1;
    while (endLine > line && (lines[endLine - 1] ?? "").trim() === "") endLine--;
    return { name, line, endLine };
  });
}

interface Heading {
  name: string;
  level: number;
  line: number;
}

function markdownHeadings(lines: readonly string[]): Heading[] {
  const headings: Heading[] = [];
  let fence: Fence | undefined;
  for (const [index, line] of lines.entries()) {
    const mayBe = fence === undefined && line.length <= headingLengthLimit;
    const heading = mayBe ? (headingIn(line) ?? underlinedHeading(lines, index)) : undefined;
    if (heading !== undefined) headings.push({ ...heading, line: index + 1 });
    fence = fenceAfter(line, fence);
  }
  return headings;
}

/**
 * A line with an underline (https://spec.commonmark.org/0.31.2/#setext-headings). It must begin its paragraph: a rule
 * that follows text without a blank line is no underline to its writer.
 */
function underlinedHeading(lines: readonly string[], index: number): Omit<Heading, "line"> | undefined {
  const mark = /^ {0,3}([=-])\1+\s*$/.exec(lines[index + 1] ?? "")?.[1];
  const line = lines[index] ?? "";
  if (mark === undefined || (lines[index - 1] ?? "").trim() !== "") return undefined;
  const isText = /^ {0,3}[^\s<>|]/.test(line) && !/^\s*(?:[-*+]|\d{1,9}[.)]|[-=*_]{2,}\s*$)(?:\s|$)/.test(line);
  return isText ? { name: line.trim(), level: mark === "=" ? 1 : 2 } : undefined;
}

/** Longer lines are data, not headings. */
const headingLengthLimit = 400;

/** Removes closing marks with a loop: an expression takes cubic time in the number of spaces. */
function headingIn(line: string): Omit<Heading, "line"> | undefined {
  const [, marks = "", rest = ""] = /^(#{1,6})\s+(\S.*)$/.exec(line) ?? [];
  let end = rest.trimEnd().length;
  while (rest[end - 1] === "#") end--;
  const name = rest.slice(0, end).trimEnd();
  return name === "" ? undefined : { name, level: marks.length };
}

/** The level of an underline is the order of its first use: https://docutils.sourceforge.io/docs/ref/rst/restructuredtext.html#sections */
function rstHeadings(lines: readonly string[]): Heading[] {
  const headings: Heading[] = [];
  const marks: string[] = [];
  for (const [index, line] of lines.entries()) {
    const underline = underlineOf(lines[index + 1] ?? "");
    if (underline === undefined || line.length > headingLengthLimit) continue;
    if (line.trim() === "" || underlineOf(line) !== undefined) continue;
    if (!marks.includes(underline)) marks.push(underline);
    headings.push({ name: line.trim(), level: marks.indexOf(underline), line: index + 1 });
  }
  return headings;
}

function underlineOf(line: string): string | undefined {
  return /^([=\-~^"'`#*+.])\1{2,}\s*$/.exec(line)?.[1];
}
