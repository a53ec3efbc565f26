import { type Grammar, grammars } from "./grammars.ts";
import { type Family, languageOf } from "./languages.ts";
import { linesWithinStrings } from "./multiline-strings.ts";
import { findSections } from "./sections.ts";

/** A function, class, constant, heading, and so on. Lines are 1-based, inclusive. */
export interface Definition {
  name: string;
  /** The line with its name. */
  line: number;
  /** The first line of the comment or decorator above it, else `line`. */
  startLine: number;
  endLine: number;
}

/**
 * Finds the definitions of a file in line order, by line grammars and indentation. There is no parser, so that every
 * language works approximately and broken files cause no errors. Nested definitions follow the enclosing one.
 */
export function findDefinitions(path: string, lines: readonly string[]): Definition[] {
  const language = languageOf(path);
  const { family } = language;
  if (family === "none") return [];
  if (family === "markdown" || family === "rst") {
    return findSections(family, lines).map((section) => ({ ...section, startLine: section.line }));
  }
  const definitions: Definition[] = [];
  const within = linesWithinStrings(language, lines);
  const grammar = grammars[family];
  let head = "";
  for (const [index, text] of lines.entries()) {
    if (text.length > lineLengthLimit || within.has(index)) continue;
    if (grammar.group !== undefined && /^[^\s)]/.test(text)) head = text;
    const name = nameIn(grammar, lines, index) ?? nameInGroup(grammar, { head, text });
    if (name === undefined) continue;
    const startLine = leadingStart(lines, index) + 1;
    definitions.push({ name, line: index + 1, startLine, endLine: blockEnd(family, lines, { index, within }) + 1 });
  }
  return definitions;
}

/** The definitions of lines from within a file: they can begin in a docstring, so that all code seems to be in strings. */
export function findDefinitionsWithin(path: string, lines: readonly string[]): Definition[] {
  const found = findDefinitions(path, lines);
  if (languageOf(path).family !== "python") return found;
  const others = findDefinitions(path, ['"""', ...lines]);
  if (others.length <= found.length) return found;
  return others.map(({ name, line, startLine, endLine }) => ({
    name,
    line: line - 1,
    startLine: Math.max(1, startLine - 1),
    endLine: endLine - 1,
  }));
}

/** The definitions that lines are a part of, the outermost first; not one that begins with them. */
export function definitionsAround(
  { startLine, endLine }: { startLine: number; endLine: number },
  definitions: readonly Definition[],
): Scope[] {
  return definitions
    .filter((one) => one.startLine <= startLine && one.endLine >= endLine && one.line < startLine)
    .map(({ name, line, endLine: last }) => ({ name, startLine: line, endLine: last }));
}

/** The lines with a word, and what the word is worth. */
export interface WordPlaces {
  worth: number;
  lines: readonly number[];
}

/**
 * The innermost definition that holds more than half of what words are worth; the lines with a word share its worth, so that a
 * frequent word does not outweigh the others. Undefined if none holds so much, as of the sections of a page.
 */
export function definitionHolding(
  words: readonly WordPlaces[],
  definitions: readonly Definition[],
): Definition | undefined {
  const half = words.reduce((sum, { worth }) => sum + worth, 0) / 2;
  return definitions.findLast(({ startLine, endLine }) => {
    const shareOf = (lines: readonly number[]) =>
      lines.filter((line) => line >= startLine && line <= endLine).length / lines.length;
    return words.reduce((sum, { worth, lines }) => sum + worth * shareOf(lines), 0) > half;
  });
}

/** A definition around lines. */
export interface Scope {
  name: string;
  startLine: number;
  endLine: number;
}

/**
 * The innermost definition with a line, or so many of its lines around it; where there is no definition, a few lines
 * around.
 */
export function linesAround(
  line: number,
  definitions: readonly Definition[],
  limit: number,
): { startLine: number; endLine: number } {
  const around = definitions.filter((one) => one.startLine <= line && one.endLine >= line);
  const whole = around.findLast((one) => one.endLine - one.line >= leastHeight) ?? around[0];
  if (whole === undefined) return { startLine: Math.max(1, line - linesBeside), endLine: line + linesBeside };
  const { startLine, endLine } = whole;
  if (endLine - startLine < limit) return { startLine, endLine };
  const first = Math.max(startLine, line - Math.floor(limit / 4));
  return { startLine: first, endLine: Math.min(endLine, first + Math.floor(limit / 2) - 1) };
}

/** A shorter one, such as a constant, says little without what it is in. */
const leastHeight = 2;
const linesBeside = 20;

/** Longer lines are minified code or data. */
const lineLengthLimit = 400;
/** The maximum number of lines of a comment above a definition, and of a signature. */
const commentLimit = 60;
const signatureLimit = 12;

function nameIn({ patterns, signature }: Grammar, lines: readonly string[], index: number): string | undefined {
  const text = lines[index] ?? "";
  for (const pattern of patterns) {
    const name = pattern.exec(text)?.[1];
    if (name !== undefined) return name;
  }
  const match = signature?.exec(text);
  const name = match?.[1];
  if (name === undefined) return undefined;
  return opensBody(lines, index, text.indexOf("(", text.indexOf(name))) ? name : undefined;
}

/** The name that a line of a group declares; `head` is the last line before it that is not indented. */
function nameInGroup({ group }: Grammar, { head, text }: { head: string; text: string }): string | undefined {
  return group?.head.test(head) === true ? group.pattern.exec(text)?.[1] : undefined;
}

/**
 * Whether the parameters that begin here, on this line or the next ones, are followed by a body; a type, initialisers
 * or attributes may come between. A call is followed by the next statement, which may have a body of its own.
 */
function opensBody(lines: readonly string[], index: number, from: number): boolean {
  const text = [(lines[index] ?? "").slice(from), ...lines.slice(index + 1, index + signatureLimit)].join("\n");
  const end = closingPlace(text);
  if (end === undefined) return false;
  const after = text.slice(end + 1);
  const between = /^[^{;]*/.exec(after)?.[0] ?? "";
  if (after[between.length] !== "{" || continuesExpression.test(between)) return false;
  return startsLikeSignature.test(between) || !/\n\s*\S/.test(between);
}

/** A ternary, a member, an operator; a function or object that is passed on. */
const continuesExpression = /^\s*[?.|,+*/%<=]|^(?!\s*:)[^]*(?:=>|[=,([])\s*$|=>\s*$/;
const startsLikeSignature =
  /^\s*(?::|->|throws\b|where\b|const\b|noexcept\b|override\b|final\b|volatile\b|__attribute__\b)/;

/**
 * Finds where the parenthesis that a text begins with is closed; brackets within strings and comments are passed over.
 */
function closingPlace(text: string): number | undefined {
  let depth = 0;
  const tokens = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[()]/g;
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (token === "(") depth++;
    else if (token === ")" && --depth === 0) return index;
  }
  return undefined;
}

/** The first line of the comments, decorators and attributes directly above. */
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

/** The last line of the block that this line opens: deeper indented lines and the closing bracket or `end`. */
function blockEnd(
  family: Family,
  lines: readonly string[],
  { index, within }: { index: number; within: ReadonlySet<number> },
): number {
  const first = lines[index] ?? "";
  if (family === "c" && first.trimStart().startsWith("#")) return macroEnd(lines, index);
  if (family === "c" && isWhole(first)) return index;
  const indent = indentOf(first);
  let last = index;
  for (let next = index + 1; next < lines.length; next++) {
    const line = lines[next] ?? "";
    if (within.has(next)) last = next;
    if (line.trim() === "" || within.has(next) || isLineComment(family, line)) continue;
    const depth = indentOf(line);
    if (depth < indent) return last;
    if (depth === indent && !continuesBlock(family, line)) return closesBlock(line) ? next : last;
    last = next;
  }
  return last;
}

/** A comment of one line ends no block: code that is commented out has an indentation of its own. */
function isLineComment(family: Family, line: string): boolean {
  return (["python", "ruby", "shell"].includes(family) ? /^\s*#/ : /^\s*\/\//).test(line);
}

/** Whether a definition ends on its first line, whatever follows: namespaces are often not indented. */
function isWhole(line: string): boolean {
  const code = line.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\/\/.*$|\/\*.*?\*\//g, "").trimEnd();
  return /[;}]$/.test(code) && code.split(/[{(]/).length === code.split(/[})]/).length;
}

function macroEnd(lines: readonly string[], index: number): number {
  let last = index;
  while (lines[last]?.endsWith("\\") && last + 1 < lines.length) last++;
  return last;
}

/**
 * Whether a line at the definition's own indentation is still inside it: `) {`, an opening brace, `#ifdef`, a label.
 */
function continuesBlock(family: Family, line: string): boolean {
  const text = line.trim();
  if (/^[{>]/.test(text) || /^where\b/.test(text)) return !text.endsWith(";");
  if (/^[)}\]]/.test(text)) return /(?:[{([:]|=>)$/.test(text);
  return (family === "c" && text.startsWith("#")) || ((family === "c" || family === "go") && /^\w+:\s*$/.test(text));
}

function closesBlock(line: string): boolean {
  return /^\s*(?:[)}\]]|end\b|fi\b|done\b)/.test(line);
}

/** The width of the white space that a line begins with; a tab counts as four. */
export function indentOf(line: string): number {
  let indent = 0;
  for (const character of line) {
    if (character === " ") indent++;
    else if (character === "\t") indent += 4;
    else break;
  }
  return indent;
}
