import { eastAsianWidth } from "get-east-asian-width";

/** A flag, or a character with its accents, variation and skin tone. Intl.Segmenter takes minutes for a long line. */
const grapheme = /\p{Regional_Indicator}{2}|.[\p{Mark}\p{Emoji_Modifier}]*/gsu;

/** The same, with emoji that are joined into one. */
const joinedGrapheme = new RegExp(`(?:${grapheme.source})(?:\\u200D(?:${grapheme.source}))*`, grapheme.flags);

/** How many columns a line takes in a terminal. It must be clean: no escape sequences, no line ends. */
export function displayWidth(text: string): number {
  if (isAscii(text)) return text.length;
  return splitGraphemes(text).reduce((width, grapheme) => width + graphemeWidth(grapheme), 0);
}

/** What a terminal draws as single characters; joined emoji are drawn one by one. */
export function splitGraphemes(text: string): string[] {
  return isAscii(text) ? text.split("") : (text.match(grapheme) ?? []);
}

/** What is moved over and deleted as one character. */
export function splitCharacters(text: string): string[] {
  return isAscii(text) ? text.split("") : (text.match(joinedGrapheme) ?? []);
}

/** Whether a grapheme takes two columns. */
export function isWide(grapheme: string): boolean {
  return graphemeWidth(grapheme) === 2;
}

/** 0, 1 or 2 columns. */
export function graphemeWidth(grapheme: string): number {
  if (/^[\p{Mark}\p{Cc}\p{Cf}]/u.test(grapheme)) return 0;
  if (/\uFE0F|^\p{Emoji_Presentation}/u.test(grapheme)) return 2;
  return eastAsianWidth(grapheme.codePointAt(0) ?? 0);
}

function isAscii(text: string): boolean {
  return /^[\u0020-\u007E]*$/.test(text);
}
