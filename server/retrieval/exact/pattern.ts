import { CitewellError, messageOf } from "../../errors.ts";
import type { LinePlaces } from "../shown-lines.ts";
import { invalidExpression, toJavaScript } from "./expression-syntax.ts";
import {
  nothingRequired,
  type RequiredText,
  type Requirement,
  requiredLiterals,
  requirementOf,
} from "./required-text.ts";
import { boundWord, isWordLetter } from "./whole-word.ts";
import { keepWithinLines } from "./within-lines.ts";
import { escapeExpression } from "../../lib/escape-expression.ts";

export interface PatternOptions {
  pattern: string;
  isRegex: boolean;
  ignoreCase: boolean;
  wholeWord: boolean;
}

export interface LinePattern {
  /** Where a line matches first, or -1. */
  indexIn(line: string): number;
  /** The matching lines of a text: the first ones up to a limit are returned, all are counted. */
  matchLines(text: string, options: { limit: number }): MatchingLines;
  /** What a text must hold to match. */
  required: RequiredText;
  /** Every matching line contains at least one of these literals; undefined if unknown. */
  literals: readonly string[] | undefined;
  /** Whether every line with one of them matches. */
  isLiteral: boolean;
  /** Whether its time is linear in the length of the text; others may backtrack for hours. */
  isLinear: boolean;
}

/** `numbers` are 1-based; the offsets are those of the returned lines. */
export interface MatchingLines extends LinePlaces {
  count: number;
  numbers: number[];
}

/** The length in UTF-16 units. */
export const patternLengthLimit = 1000;

/** @throws InvalidRequest (empty, too long, more than one line, no valid expression) */
export function compilePattern({ pattern, isRegex, ignoreCase, wholeWord }: PatternOptions): LinePattern {
  if (pattern === "") throw new CitewellError("InvalidRequest", "the pattern is empty");
  if (pattern.length > patternLengthLimit) {
    throw new CitewellError(
      "InvalidRequest",
      `the pattern has ${pattern.length} characters, the limit is ${patternLengthLimit}`,
    );
  }
  if (/[\r\n]/.test(pattern)) {
    throw new CitewellError("InvalidRequest", "the pattern has more than one line", {
      hint: "search for one line of it",
    });
  }
  const literal = { source: escapeExpression(pattern), ignoreCase: undefined, isUnicode: false };
  const { source, isUnicode, ...own } = isRegex ? toJavaScript(pattern) : literal;
  const bound = (source: string) => (wholeWord ? boundWord(source) : source);
  const flags = ((own.ignoreCase ?? ignoreCase) ? "i" : "") + (isUnicode ? "u" : "");
  const expression = compile(bound(source), flags, pattern);
  const { required, isEnough } = requiredBy(source, { isRegex, pattern, flags });
  const withinLines = isRegex ? keepWithinLines(source) : source;
  const find = isRegex || ignoreCase ? findWithin(withinLines) : findLiteral(pattern, { wholeWord });
  return {
    indexIn: (line) => line.search(expression),
    matchLines: (text, options) =>
      find === undefined || (isRegex && otherLineEnds.some((end) => text.includes(end)))
        ? matchEach(text, expression, options)
        : matchWhole(text, find, options),
    required,
    literals: flags.includes("i") ? undefined : requiredLiterals(required),
    isLiteral: isEnough && !flags.includes("i") && !wholeWord,
    isLinear: !isRegex || !mayBacktrack(source),
  };

  function findWithin(withinLines: string | undefined): Find | undefined {
    return withinLines === undefined ? undefined : findExpression(compile(bound(withinLines), `${flags}gm`, pattern));
  }
}

/** So many alternatives can be tried in every combination without a noticeable delay. */
const fewChoices = 8;

/** Whether an expression has repetition or many alternatives; may be true for one that has neither. */
function mayBacktrack(source: string): boolean {
  return /[*+{]/.test(source) || source.split(/[?|]/).length > fewChoices + 1;
}

/** Characters that end a line for `^`, `$` and `.`, but not for us. Searching for each separately is fastest. */
const otherLineEnds = ["\r", "\u2028", "\u2029"];

function matchEach(text: string, expression: RegExp, { limit }: { limit: number }): MatchingLines {
  const found: MatchingLines = { count: 0, numbers: [], starts: [], ends: [] };
  for (let start = 0, number = 1; start < text.length; number++) {
    const next = text.indexOf("\n", start);
    const end = next === -1 ? text.length : next;
    const line = text.slice(start, text[end - 1] === "\r" && end > start ? end - 1 : end);
    if (line.search(expression) !== -1) {
      if (found.count++ < limit) {
        found.numbers.push(number);
        found.starts.push(start);
        found.ends.push(end);
      }
    }
    start = end + 1;
  }
  return found;
}

/** Where a text matches first from a place on, or -1. */
type Find = (text: string, from: number) => number;

function findLiteral(literal: string, { wholeWord }: { wholeWord: boolean }): Find {
  if (!wholeWord) return (text, from) => text.indexOf(literal, from);
  return (text, from) => {
    let at = text.indexOf(literal, from);
    while (at !== -1 && (isWordLetter(text.charAt(at - 1)) || isWordLetter(text.charAt(at + literal.length)))) {
      at = text.indexOf(literal, at + 1);
    }
    return at;
  };
}

function findExpression(expression: RegExp): Find {
  return (text, from) => {
    expression.lastIndex = from;
    return expression.exec(text)?.index ?? -1;
  };
}

/** Matches the whole text at once, which is many times faster: nearly all of it does not match. */
function matchWhole(text: string, find: Find, { limit }: { limit: number }): MatchingLines {
  const found: MatchingLines = { count: 0, numbers: [], starts: [], ends: [] };
  if (text === "") return found;
  // A line end ends the last line; it begins no other.
  const end = text.endsWith("\n") ? text.length - 1 : text.length;
  let number = 1;
  let start = 0;
  for (let at = find(text, 0); at !== -1 && at <= end;) {
    const lineEnd = text.indexOf("\n", at);
    if (found.count++ < limit) {
      for (let next = text.indexOf("\n", start); next !== -1 && next < at; next = text.indexOf("\n", start)) {
        number++;
        start = next + 1;
      }
      found.numbers.push(number);
      found.starts.push(start);
      found.ends.push(lineEnd === -1 ? text.length : lineEnd);
    }
    if (lineEnd === -1) break;
    if (found.count <= limit) {
      number++;
      start = lineEnd + 1;
    }
    at = find(text, lineEnd + 1);
  }
  return found;
}

/** Trigrams fold the case of ASCII letters only; in unicode mode `k` also matches the sign of the kelvin. */
function requiredBy(
  source: string,
  { isRegex, pattern, flags }: { isRegex: boolean; pattern: string; flags: string },
): Requirement {
  if (flags.includes("i") && (flags.includes("u") || /\P{ASCII}/u.test(source))) return nothingRequired;
  return isRegex ? requirementOf(source) : { required: { type: "literal", text: pattern }, isEnough: true };
}

function compile(source: string, flags: string, pattern: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    throw invalidExpression(pattern, reasonOf(error), error);
  }
}

/** V8 repeats the expression before the reason. */
function reasonOf(error: unknown): string {
  return messageOf(error)
    .replace(/^Invalid regular expression: .*: /s, "")
    .toLowerCase();
}
