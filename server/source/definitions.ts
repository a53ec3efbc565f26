import { type Grammar, grammars } from "./grammars.ts";
import { type Family, languageOf } from "./languages.ts";
import { findSections } from "./sections.ts";

/** A function, class, constant, heading or the like. Lines are 1-based, inclusive. */
export interface Definition {
  name: string;
  /** The line that names it. */
  line: number;
  /** Where the comment or decorator above it starts; `line` where there is none. */
  startLine: number;
  endLine: number;
}

/**
 * The definitions of a file in the order of their lines, found by line grammars and indentation: no parser, so that any
 * language comes out roughly right and a broken file does no harm. Nested ones follow the one around them.
 */
export function findDefinitions(path: string, lines: readonly string[]): Definition[] {
  const { family } = languageOf(path);
  if (family === "none") return [];
  if (family === "markdown" || family === "rst") {
    return findSections(family, lines).map((section) => ({ ...section, startLine: section.line }));
  }
  const definitions: Definition[] = [];
  for (const [index, text] of lines.entries()) {
    const name = text.length > lineLengthLimit ? undefined : nameIn(grammars[family], lines, index);
    if (name === undefined) continue;
    const startLine = leadingStart(lines, index) + 1;
    definitions.push({ name, line: index + 1, startLine, endLine: blockEnd(family, lines, index) + 1 });
  }
  return definitions;
}

/** Longer lines are minified code or data. */
const lineLengthLimit = 400;
/** How far up a comment belongs to what follows it, and how far down a signature may run. */
const commentLimit = 60;
const signatureLimit = 12;

function nameIn({ patterns, signature }: Grammar, lines: readonly string[], index: number): string | undefined {
  const text = lines[index] ?? "";
  for (const pattern of patterns) {
    const name = pattern.exec(text)?.[1];
    if (name !== undefined) return name;
  }
  const name = signature?.exec(text)?.[1];
  return name !== undefined && opensBody(lines, index) ? name : undefined;
}

/** Whether a signature that starts here ends in `{`, on this line or some lines below, before anything ends it. */
function opensBody(lines: readonly string[], index: number): boolean {
  for (const line of lines.slice(index, index + signatureLimit)) {
    if (/\{\s*$|^\s*\{/.test(line)) return !/=>\s*\{\s*$/.test(line);
    if (/;\s*$|^\S*\}/.test(line)) return false;
  }
  return false;
}

/** The first line of the comments, decorators and attributes right above. */
function leadingStart(lines: readonly string[], index: number): number {
  const indent = indentOf(lines[index] ?? "");
  let start = index;
  while (start > 0 && index - start < commentLimit) {
    const above = lines[start - 1] ?? "";
    const isLead =
      /^\s*(?:\/\/|\/\*|\*|#(?=[\s![])(?!\s*(?:include|define|if|endif|else|elif|undef|pragma)\b)|@|--|\[<?\w.*\]$)/.test(
        above,
      );
    if (!isLead || Math.abs(indentOf(above) - indent) > 1) break;
    start--;
  }
  return start;
}

/** The last line of what the line opens: whatever is indented deeper, and the closing bracket or `end`. */
function blockEnd(family: Family, lines: readonly string[], index: number): number {
  const first = lines[index] ?? "";
  if (family === "c" && first.trimStart().startsWith("#")) return macroEnd(lines, index);
  const indent = indentOf(first);
  let last = index;
  for (let next = index + 1; next < lines.length; next++) {
    const line = lines[next] ?? "";
    if (line.trim() === "") continue;
    const depth = indentOf(line);
    if (depth < indent) return last;
    if (depth === indent && !continuesBlock(family, line)) return closesBlock(line) ? next : last;
    last = next;
  }
  return last;
}

function macroEnd(lines: readonly string[], index: number): number {
  let last = index;
  while (lines[last]?.endsWith("\\") && last + 1 < lines.length) last++;
  return last;
}

/** A line at the depth of the definition that is still inside it: `) {`, an opening brace, `#ifdef`, a label. */
function continuesBlock(family: Family, line: string): boolean {
  const text = line.trim();
  if (/^[{>]/.test(text) || /^where\b/.test(text)) return !text.endsWith(";");
  if (/^[)}\]]/.test(text)) return /(?:[{([:]|=>)$/.test(text);
  return family === "c" && /^(?:#|\w+:\s*$)/.test(text);
}

function closesBlock(line: string): boolean {
  return /^\s*(?:[)}\]]|end\b|fi\b|done\b)/.test(line);
}

function indentOf(line: string): number {
  let indent = 0;
  for (const character of line) {
    if (character === " ") indent++;
    else if (character === "\t") indent += 4;
    else break;
  }
  return indent;
}
