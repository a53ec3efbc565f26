import { CitewellError, messageOf } from "../errors.ts";
import { splitLines } from "../lib/source-text.ts";
import { type RequiredText, requiredText } from "./required-text.ts";
import { keepWithinLines } from "./within-lines.ts";

export interface PatternOptions {
  pattern: string;
  isRegex: boolean;
  ignoreCase: boolean;
  wholeWord: boolean;
}

export interface LinePattern {
  /** Where a line matches first, or -1. */
  indexIn(line: string): number;
  /** The lines of a text that match, 1-based. */
  matchLines(text: string): number[];
  /** What a text must hold to match. */
  required: RequiredText;
}

const patternLengthLimit = 1000;

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
  const inline = isRegex ? /^\(\?([ims]+)\)/.exec(pattern) : null;
  const source = isRegex ? pattern.slice(inline?.[0].length ?? 0).replaceAll("(?P<", "(?<") : escapeExpression(pattern);
  const bounded = wholeWord ? String.raw`(?<!\w)(?:${source})(?!\w)` : source;
  const flags = (ignoreCase || inline?.[1]?.includes("i") ? "i" : "") + (/\\p\{/i.test(source) ? "u" : "");
  const expression = compile(bounded, flags, pattern);
  const withinLines = isRegex ? keepWithinLines(bounded) : bounded;
  const whole = withinLines === undefined ? undefined : compile(withinLines, `${flags}gm`, pattern);
  return {
    indexIn: (line) => line.search(expression),
    matchLines: (text) =>
      whole === undefined || otherLineEnds.some((end) => text.includes(end))
        ? matchEach(text, expression)
        : matchWhole(text, whole),
    required: requiredBy(source, { isRegex, pattern, flags }),
  };
}

/** What `^`, `$` and `.` take for the end of a line, and our lines do not. One at a time they are found fastest. */
const otherLineEnds = ["\r", "\u2028", "\u2029"];

function matchEach(text: string, expression: RegExp): number[] {
  return splitLines(text).flatMap((line, index) => (line.search(expression) === -1 ? [] : [index + 1]));
}

/** Over the whole text at once, which is many times faster: nearly all of it does not match. */
function matchWhole(text: string, expression: RegExp): number[] {
  if (text === "") return [];
  const lines: number[] = [];
  // A line end ends the last line; it begins no other.
  const end = text.endsWith("\n") ? text.length - 1 : text.length;
  let line = 1;
  let lineEnd = text.indexOf("\n");
  expression.lastIndex = 0;
  for (let match = expression.exec(text); match !== null && match.index <= end; match = expression.exec(text)) {
    for (; lineEnd !== -1 && lineEnd < match.index; lineEnd = text.indexOf("\n", lineEnd + 1)) line++;
    lines.push(line);
    if (lineEnd === -1) break;
    expression.lastIndex = lineEnd + 1;
  }
  return lines;
}

/** Trigrams fold the case of ASCII letters only; in unicode mode `k` also matches the sign of the kelvin. */
function requiredBy(
  source: string,
  { isRegex, pattern, flags }: { isRegex: boolean; pattern: string; flags: string },
): RequiredText {
  if (flags.includes("i") && (flags.includes("u") || /\P{ASCII}/u.test(source))) return { type: "anything" };
  return isRegex ? requiredText(source) : { type: "literal", text: pattern };
}

function compile(source: string, flags: string, pattern: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    throw new CitewellError("InvalidRequest", `"${pattern}" is no valid regular expression: ${reasonOf(error)}`, {
      hint: "use JavaScript syntax, or search for the text as it is",
      cause: error,
    });
  }
}

/** V8 repeats the expression before the reason. */
function reasonOf(error: unknown): string {
  return messageOf(error)
    .replace(/^Invalid regular expression: .*: /s, "")
    .toLowerCase();
}

/** As `RegExp.escape`, which Node 20 lacks. */
function escapeExpression(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
