import { CitewellError, messageOf } from "../errors.ts";
import { type RequiredText, requiredText } from "./required-text.ts";

export interface PatternOptions {
  pattern: string;
  isRegex: boolean;
  ignoreCase: boolean;
  wholeWord: boolean;
}

export interface LinePattern {
  /** Where a line matches first, or -1. */
  indexIn(line: string): number;
  /** Quickly tells of a whole text that no line of it matches. */
  mayMatch(text: string): boolean;
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
  return {
    indexIn: (line) => line.search(expression),
    mayMatch: (text) => isRegex || expression.test(text),
    required: requiredBy(source, { isRegex, pattern, flags }),
  };
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
