import { type Fence, fenceAfter } from "../lib/markdown-fence.ts";

/** A `[…]` that has just been closed. */
export interface Bracket {
  isImage: boolean;
  hasCitation: boolean;
}

/**
 * The Markdown context at the end of a text, from the text so far: a code span that is never closed counts as code up
 * to the end of its paragraph.
 */
export interface Place {
  pass(text: string): void;
  passCitation(): void;
  /** What comes next must not be a backtick. */
  inCode(): boolean;
  /** Whether the next character is escaped. */
  isEscaped(): boolean;
  /** The last character. */
  previous(): string;
  /** The text since the last space or `<`. */
  word(): string;
  /** The bracket whose end is the last character. */
  bracket(): Bracket | undefined;
}

/** A list item, heading, quote or table row begins: no code span reaches into it. */
const blockStart = /^\s*(?:(?:[-*+>]|#{1,6}|\d{1,9}[.)])\s|\|)$/;

export function trackPlace(): Place {
  let line = "";
  let fence: Fence | undefined;
  /** The number of backticks that opened the current code span. */
  let span = 0;
  /** The backticks and the backslashes that were last. */
  let backticks = 0;
  let backslashes = 0;
  let isFirstEscaped = false;
  let previous = "";
  let word = "";
  let open: Bracket[] = [];
  let closed: Bracket | undefined;

  const endBackticks = () => {
    const count = isFirstEscaped ? backticks - 1 : backticks;
    if (span === 0) span = count;
    else if (span === backticks) span = 0;
    backticks = 0;
    isFirstEscaped = false;
  };
  const endLine = () => {
    const before = fence;
    fence = fenceAfter(line, fence);
    const isBlank = line.trim() === "";
    if (isBlank || fence !== before) span = 0;
    if (isBlank) open = [];
    line = "";
  };
  const inCode = () => {
    if (backticks > 0) endBackticks();
    return fence !== undefined || span > 0;
  };
  const passBracket = (character: string) => {
    if (inCode() || backslashes % 2 === 1) return;
    if (character === "[") open.push({ isImage: previous === "!", hasCitation: false });
    else closed = open.pop();
  };
  const passCharacter = (character: string) => {
    if (character === "`") {
      if (backticks === 0) isFirstEscaped = span === 0 && backslashes % 2 === 1;
      backticks++;
    } else if (backticks > 0) endBackticks();
    closed = undefined;
    if (character === "[" || character === "]") passBracket(character);
    backslashes = character === "\\" ? backslashes + 1 : 0;
    previous = character;
    word = /[\s<]/.test(character) ? "" : word + character;
    if (character === "\n") return endLine();
    line += character;
    if (line.length < 16 && /[\s|]/.test(character) && blockStart.test(line)) span = 0;
  };
  return {
    pass(text) {
      for (const character of text) passCharacter(character);
    },
    passCitation() {
      passCharacter("·");
      for (const bracket of open) bracket.hasCitation = true;
    },
    inCode,
    isEscaped: () => backslashes % 2 === 1,
    previous: () => previous,
    word: () => word,
    bracket: () => closed,
  };
}
