/** U+202E becomes `‹U+202E›`: bidirectional overrides, zero-width and tag characters, fillers, and control characters. */
export function showInvisible(text: string): string {
  return text.replace(invisible, numbered);
}

/** Includes tabs and line ends, for names: one with a line end could fake lines of output. */
export function showInvisibleInLine(text: string): string {
  return showInvisible(text).replace(/[\t\n]/g, numbered);
}

function numbered(character: string): string {
  const number = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return `‹U+${number}›`;
}

/** Excludes tabs and line ends, which are visible, and U+FE0F, which is part of many emoji. */
const invisible = /(?!\t|\n|\uFE0F)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
