/** What a stream can show; `capabilities.ts` finds it out. */
export interface Style {
  /** Whether a person reads it there: Markdown is laid out. Otherwise it goes out as it came. */
  layout: boolean;
  /** Colours and type styles (bold, dim, …). */
  color: boolean;
  /** OSC 8 hyperlinks. */
  links: boolean;
  /** Whether links to files open them in VS Code, whose terminal it is. */
  inVscode: boolean;
  /** Nothing that was written is changed: no cursor movement, no line that is rewritten. */
  linear: boolean;
  /** Characters beyond ASCII for marks and rules. */
  unicode: boolean;
  /** The width in columns. */
  width: number;
}

/** How text is set off. Without colours a reader still sees the marks and words around it. */
export type Mark =
  | "bold"
  | "italic"
  | "strike"
  | "dim"
  | "heading"
  | "code"
  | "link"
  | "citation"
  | "good"
  | "warning"
  | "bad"
  | "inverse"
  | "comment"
  | "string"
  | "number"
  | "keyword";

/** SGR parameters, from the sixteen colours that every theme sets: ECMA-48, 8.3.117. */
const parameters: Record<Mark, string> = {
  bold: "1",
  italic: "3",
  strike: "9",
  dim: "2",
  heading: "1;35",
  code: "36",
  link: "4;34",
  citation: "4;36",
  good: "32",
  warning: "33",
  bad: "31",
  inverse: "7",
  comment: "2;3",
  string: "32",
  number: "36",
  keyword: "35",
};

/** SGR parameters for cells of a screen; without colours, text is set off by bold and inverse alone. */
export function sgrOf(marks: readonly Mark[], { color }: Pick<Style, "color">): string {
  const shown = color ? marks : marks.filter((mark) => mark === "bold" || mark === "inverse");
  return shown.map((mark) => parameters[mark]).join(";");
}

/** `text` must be clean (clean.ts): nothing but what is made here may control the terminal. */
export function paint(text: string, marks: readonly Mark[], { color }: Pick<Style, "color">): string {
  if (!color || marks.length === 0 || text === "") return text;
  return `\u001B[${marks.map((mark) => parameters[mark]).join(";")}m${text}\u001B[0m`;
}

/** Whether a URL can be clicked: the terminal knows hyperlinks, and the scheme is one that people open. */
export function isClickable(url: string, { links }: Pick<Style, "links">): boolean {
  return links && /^(?:https?:|mailto:|file:|vscode:\/\/file\/)/i.test(url);
}

/** An OSC 8 hyperlink, or the text alone where the URL cannot be clicked. */
export function hyperlink(text: string, url: string, style: Pick<Style, "links">): string {
  if (!isClickable(url, style)) return text;
  return `${osc8}8;;${printable(url)}${osc8End}${text}${linkEnd}`;
}

/**
 * Starts a hyperlink that may go on in other rows; empty where the URL cannot be clicked. The same URL has the same
 * `id`, by which terminals join the pieces: https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda
 */
export function linkStart(url: string, style: Pick<Style, "links">): string {
  return isClickable(url, style) ? `${osc8}8;id=${hashOf(url)};${printable(url)}${osc8End}` : "";
}

const osc8 = "\u001B]";
const osc8End = "\u001B\\";
/** Ends a hyperlink. */
export const linkEnd: string = `${osc8}8;;${osc8End}`;

function printable(url: string): string {
  return url.replace(/[^\u0021-\u007E]/gu, percentEncode);
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}

/** The marks that layout needs, in Unicode or ASCII. */
export function glyphsOf({ unicode }: Pick<Style, "unicode">) {
  return unicode ? unicodeGlyphs : asciiGlyphs;
}

const unicodeGlyphs = {
  bullet: "•",
  checked: "☑",
  unchecked: "☐",
  rule: "─",
  bar: "│",
  cross: "┼",
  good: "✓",
  moved: "≈",
  doubtful: "?",
  bad: "✗",
  arrow: "→",
  ellipsis: "…",
  times: "×",
  dot: "·",
} as const;

const asciiGlyphs = {
  bullet: "-",
  checked: "[x]",
  unchecked: "[ ]",
  rule: "-",
  bar: "|",
  cross: "+",
  good: "+",
  moved: "~",
  doubtful: "?",
  bad: "x",
  arrow: "->",
  ellipsis: "...",
  times: "x",
  dot: "-",
} as const satisfies Record<keyof typeof unicodeGlyphs, string>;

function percentEncode(character: string): string {
  return /\p{Cs}/u.test(character) ? "%EF%BF%BD" : encodeURIComponent(character);
}
