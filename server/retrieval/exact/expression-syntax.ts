import { CitewellError } from "../../errors.ts";

/** An expression for `new RegExp`, and the flags that it sets itself. */
export interface Expression {
  source: string;
  /** Undefined if the expression does not set it. */
  ignoreCase: boolean | undefined;
  /** Whether it needs the flag `u`. */
  isUnicode: boolean;
}

interface Reader {
  pattern: string;
  at: number;
  isUnicode: boolean;
}

/**
 * Translates ripgrep's syntax to JavaScript's: `(?i)` at the beginning, `(?P<name>…)`, `\A` and `\z`, `\pL`, `\x{e9}`,
 * `[[:alpha:]]`. Syntax that JavaScript would silently read as plain letters, such as `\h` or `\Qa.b\E`, is refused. The
 * result means the same with and without the flag `u`, except for characters outside the basic plane.
 * @throws InvalidRequest
 */
export function toJavaScript(pattern: string): Expression {
  const leading = /^(?:\(\?(?=[^)])[imsuU]*(?:-[imsuU]+)?\))*/.exec(pattern)?.[0] ?? "";
  const reader = { pattern, at: leading.length, isUnicode: /[\u{10000}-\u{10ffff}]/u.test(pattern) };
  let source = "";
  while (reader.at < pattern.length) source += readPart(reader);
  return { source, ignoreCase: ignoresCase(leading), isUnicode: reader.isUnicode };
}

/** The error for an invalid expression, with the reason. */
export function invalidExpression(pattern: string, reason: string, cause?: unknown): CitewellError {
  return new CitewellError("InvalidRequest", `"${pattern}" is not a valid regular expression: ${reason}`, {
    hint: "use JavaScript syntax, or search for the text as it is",
    cause,
  });
}

/** The last flag takes effect. */
function ignoresCase(leading: string): boolean | undefined {
  let ignoreCase: boolean | undefined;
  for (const [, on = "", off = ""] of leading.matchAll(/\(\?(\w*)-?(\w*)\)/g)) {
    if (off.includes("i")) ignoreCase = false;
    else if (on.includes("i")) ignoreCase = true;
  }
  return ignoreCase;
}

/** Matches a sticky expression at the reader's position, and advances behind the match. */
function take(reader: Reader, expression: RegExp): RegExpExecArray | null {
  expression.lastIndex = reader.at;
  const found = expression.exec(reader.pattern);
  reader.at += found?.[0].length ?? 0;
  return found;
}

function readPart(reader: Reader): string {
  const reference = take(reader, /\(\?P=(\w+)\)/y);
  if (reference !== null) return `\\k<${reference[1]}>`;
  if (take(reader, /\(\?P</y) !== null) return "(?<";
  const flags = take(reader, /\(\?([a-zA-Z-]+)([:)])/y);
  if (flags !== null) return readFlags(reader, flags);
  const [text = ""] = take(reader, /\{\d+(?:,\d*)?\}|./sy) ?? [];
  if (text === "[") return readClass(reader);
  if (text === "\\") return readAnchor(reader) ?? readEscape(reader);
  return /^[{}\]]$/.test(text) ? `\\${text}` : text;
}

/** The flags `m`, `s`, `u` and `U` have no effect on which lines match. */
function readFlags({ pattern }: Reader, [text, flags = "", end]: RegExpExecArray): string {
  if (!/^[msuU-]+$/.test(flags)) {
    const reason = flags.includes("i")
      ? `${text} must be at the beginning: case is ignored in the whole expression or not at all`
      : `${text} is not supported`;
    throw invalidExpression(pattern, reason);
  }
  return end === ":" ? "(?:" : "";
}

const wordEdges: Readonly<Record<string, string>> = {
  start: "\\b(?=\\w)",
  end: "\\b(?<=\\w)",
  "start-half": "(?<!\\w)",
  "end-half": "(?!\\w)",
};

/** Reads an anchor, outside a class. The text is a line. */
function readAnchor(reader: Reader): string | undefined {
  if (take(reader, /A/y) !== null) return "^";
  if (take(reader, /[zZ]/y) !== null) return "$";
  const edge = take(reader, /b\{([a-z-]+)\}/y);
  if (edge === null) return take(reader, /[bB]|k<\w+>/y)?.map((text) => `\\${text}`)[0];
  return wordEdges[edge[1] ?? ""] ?? refuse(reader, `\\${edge[0]} is not supported`);
}

const classes: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  ascii: "\\x00-\\x7f",
  blank: "\\t ",
  cntrl: "\\x00-\\x1f\\x7f",
  digit: "0-9",
  graph: "!-~",
  lower: "a-z",
  print: " -~",
  punct: "!-\\/:-@\\[-`{-~",
  space: "\\t-\\r ",
  upper: "A-Z",
  word: "\\w",
  xdigit: "0-9A-Fa-f",
};

function readClass(reader: Reader): string {
  let text = `[${take(reader, /\^/y)?.[0] ?? ""}`;
  while (reader.at < reader.pattern.length) {
    if (take(reader, /\]/y) !== null) return `${text}]`;
    const named = take(reader, /\[:(\^?\w+):\]/y);
    const escaped = named === null ? take(reader, /\\/y) : null;
    if (named !== null) text += classes[named[1] ?? ""] ?? refuse(reader, `${named[0]} is not a known class`);
    else if (escaped !== null) text += take(reader, /[b-]/y)?.map((sign) => `\\${sign}`)[0] ?? readEscape(reader);
    // With the flag `u`, ranges must not begin or end with a class.
    else if (take(reader, /-(?=\\[dDsSwWpP]|\[:)/y) !== null) text += "\\-";
    else text += take(reader, /./suy)?.[0] ?? "";
    const isSet = named !== null || /\\(?:[dDsSwW]|[pP]\{[^}]*\})$/.test(text);
    if (isSet && take(reader, /-(?!\])/y) !== null) text += "\\-";
  }
  return text;
}

/** Reads the part of an escape after the backslash, inside or outside a class. */
function readEscape(reader: Reader): string {
  const property = take(reader, /([pP])(?:\{([^}]*)\}|([A-Z]))/y);
  if (property !== null) return readProperty(reader, property);
  const code = take(reader, /[xu]\{([\da-fA-F]{1,8})\}|U([\da-fA-F]{8})/y);
  if (code !== null) return readCodePoint(reader, code);
  if (take(reader, /a/y) !== null) return "\\x07";
  const known = take(reader, /[dDsSwWnrtvf]|\d+|c[a-zA-Z]|x[\da-fA-F]{2}|u[\da-fA-F]{4}|[\^$\\.*+?()[\]{}|/]/y)?.[0];
  // Before other signs the backslash has no effect, and the flag `u` forbids it.
  if (known === undefined) return take(reader, /[^a-zA-Z]/uy)?.[0] ?? refuseEscape(reader);
  return `\\${known}`;
}

function readProperty(reader: Reader, [text, sign = "", long, short = ""]: RegExpExecArray): string {
  reader.isUnicode = true;
  const name = long ?? short;
  const property = [`\\${sign}{${name}}`, `\\${sign}{Script=${name}}`].find(isExpression);
  return property ?? refuse(reader, `\\${text} is not a Unicode property`);
}

function isExpression(source: string): boolean {
  try {
    return new RegExp(source, "u") instanceof RegExp;
  } catch {
    return false;
  }
}

function readCodePoint(reader: Reader, [text, short, long = ""]: RegExpExecArray): string {
  const code = Number.parseInt(short ?? long, 16);
  if (code > 0x10ffff) return refuse(reader, `\\${text} is not a character`);
  if (code <= 0xffff) return `\\u${code.toString(16).padStart(4, "0")}`;
  reader.isUnicode = true;
  return `\\u{${code.toString(16)}}`;
}

function refuseEscape(reader: Reader): string {
  const letter = reader.pattern[reader.at];
  return letter === undefined ? "\\" : refuse(reader, `\\${letter} is not supported`);
}

function refuse({ pattern }: Reader, reason: string): never {
  throw invalidExpression(pattern, reason);
}
