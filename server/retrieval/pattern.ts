import { CitewellError, messageOf } from "../errors.ts";

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
  };
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
