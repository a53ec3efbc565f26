import { framesIn } from "../../source/frames.ts";

/** A text with fewer non-empty lines is not treated as a template. */
const fewestLines = 3;

/** A pasted issue as it is searched for. */
export interface PastedIssue {
  title: string;
  /** Its title and what it says beside code, traces and output. */
  prose: string;
  /** All of it, without the text of its template and about the reporter's machine. */
  text: string;
}

interface Line {
  text: string;
  isCode: boolean;
}

/**
 * A pasted issue without headings, checklists, comments, images, and sections about versions and the environment. Undefined
 * for texts of one or two lines, and if nothing remains. A long one is cut: the title, the prose and the end of the code
 * are kept.
 */
export function readPastedIssue(text: string): PastedIssue | undefined {
  const lines = withoutComments(text).replace(image, "").split(/\r?\n/);
  if (lines.filter(hasText).length < fewestLines) return undefined;
  const kept: Line[] = [];
  let fence: string | undefined;
  let isEnvironment = false;
  for (const [index, line] of lines.entries()) {
    const mark = /^\s*(?:>\s*)?(```|~~~)/.exec(line)?.[1];
    if (mark !== undefined) {
      if (fence === undefined) fence = mark;
      else if (fence === mark) fence = undefined;
      continue;
    }
    const isBelowBlank = !hasText(lines[index - 1] ?? "");
    // After other code, this is a comment in code pasted without a fence.
    const mayBeHeading = fence === undefined && kept.some(({ text }) => hasText(text)) && isBelowBlank;
    if (mayBeHeading && heading.test(line)) isEnvironment = environment.test(line);
    else if (!isEnvironment && (fence !== undefined || !checklist.test(line))) {
      const last = kept.at(-1);
      const isIndented = indented.test(line) && last !== undefined && (isBelowBlank || last.isCode);
      kept.push({ text: line, isCode: fence !== undefined || isIndented });
    }
  }
  const title = kept.find((line) => hasText(line.text))?.text;
  if (title === undefined) return undefined;
  const short = cutLines(kept);
  const prose = textOf(short.filter(({ isCode }) => !isCode));
  return { title, prose: framesIn(prose).rest, text: textOf(short) };
}

/** What a search reads of a text, in UTF-16 units: of words and of lines each more would find less. */
export const readLimit = 10_000;
const lineLimit = 1000;
/** So much of a long issue may be its title and prose, where it has code, too. */
const proseLimit = 6000;

/** The first lines of the prose and the last ones of the code, in their order; a trace ends with what failed. */
function cutLines(lines: readonly Line[]): Line[] {
  const short = lines.map((line) => ({ ...line, text: line.text.slice(0, lineLimit) }));
  const prose = short.filter(({ isCode }) => !isCode);
  const code = short.filter(({ isCode }) => isCode).reverse();
  const kept = new Set(within(prose, Math.max(proseLimit, readLimit - lengthOf(code))));
  for (const line of within(code, readLimit - lengthOf([...kept]))) kept.add(line);
  return short.filter((line) => kept.has(line));
}

function within(lines: readonly Line[], limit: number): Line[] {
  let length = 0;
  return lines.filter(({ text }) => (length += text.length + 1) <= limit);
}

function lengthOf(lines: readonly Line[]): number {
  return lines.reduce((sum, { text }) => sum + text.length + 1, 0);
}

function textOf(lines: readonly Line[]): string {
  return lines.map(({ text }) => text).join("\n");
}

const indented = /^(?: {4}|\t)/;
const image = /!\[[^\]\n]{0,300}\]\([^)\n]{0,500}\)|<img\b[^>\n]{0,500}>/gi;
/** Includes bold lines. The first non-empty line is the title, whatever its format. */
const heading = /^(?:#{1,6}\s+\S.*|\*\*[^*\n]+\*\*:?\s*)$/;
const checklist = /^\s*[-*] \[[ xX]\]/;
/** The words in the headings of sections about a machine, as templates write them. */
const environment =
  /\b(?:environment|versions?|system|platform|operating|os|config(?:uration)?|specifications|specs|setup|install(?:ed)?|desktop|device|issue type|software|crates|type of|compile time|checklist|info(?:rmation)?)\b/i;

function withoutComments(text: string): string {
  const [first = "", ...rest] = text.split("<!--");
  const after = rest.map((part) => {
    const end = part.indexOf("-->");
    return end === -1 ? `<!--${part}` : part.slice(end + "-->".length);
  });
  return first + after.join("");
}

/** Whether it is a trace, a diff or output with a line above it. */
export function isOutput({ prose }: PastedIssue): boolean {
  return prose.split("\n").filter(hasText).length <= outputLines;
}

const outputLines = 2;

function hasText(line: string): boolean {
  return line.trim() !== "";
}
