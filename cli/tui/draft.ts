import { splitCharacters } from "../render/width.ts";

/** A text being edited. `cursor` is an offset in UTF-16 units, never within a character of several code points. */
export interface Draft {
  text: string;
  cursor: number;
  /** Long pasted texts; a private-use character in `text` represents each. */
  pasted: readonly string[];
}

/** A draft without text. */
export const emptyDraft: Draft = { text: "", cursor: 0, pasted: [] };

/** A longer paste is shown as one word. */
const foldedLines = 20;
/** Private Use Area (Unicode 16, 23.5): keyboards do not produce these. */
const firstPlaceholder = 0xe000;
const placeholders = /[\uE000-\uF8FF]/g;

/** A draft with the cursor at the end of `text`. */
export function draftOf(text: string): Draft {
  return insert(emptyDraft, text);
}

/** Inserts typed text at the cursor, without control characters. */
export function insert(draft: Draft, text: string): Draft {
  return replace(draft, { from: draft.cursor, to: draft.cursor }, cleanText(text));
}

/** Inserts a pasted text; a long one is folded. */
export function paste(draft: Draft, text: string): Draft {
  const whole = cleanText(text).replace(/\n+$/, "");
  const lineCount = whole.split("\n").length;
  if (lineCount <= foldedLines) return insert(draft, whole);
  const placeholder = String.fromCharCode(firstPlaceholder + draft.pasted.length);
  const next = { ...draft, pasted: [...draft.pasted, whole] };
  return replace(next, { from: draft.cursor, to: draft.cursor }, placeholder);
}

/** The text with its pasted parts. */
export function wholeText({ text, pasted }: Draft): string {
  return text.replace(placeholders, (character) => pasted[character.charCodeAt(0) - firstPlaceholder] ?? "");
}

/** The text as it is shown: a folded paste is `[pasted 1,000 lines]`. */
export function shownText({ text, pasted }: Draft): string {
  return text.replace(placeholders, (character) => {
    const lineCount = (pasted[character.charCodeAt(0) - firstPlaceholder] ?? "").split("\n").length;
    return `[pasted ${lineCount.toLocaleString("en")} lines]`;
  });
}

/** The cursor's offset in `shownText`. */
export function shownCursor(draft: Draft): number {
  return shownText({ ...draft, text: draft.text.slice(0, draft.cursor) }).length;
}

/** The draft after an editing key; undefined when the key does not edit. */
export function edit(draft: Draft, key: string): Draft | undefined {
  const move = motions[key];
  if (move !== undefined) return { ...draft, cursor: move(draft) };
  const target = deletions[key];
  if (target === undefined) return undefined;
  const to = target(draft);
  return replace(draft, { from: Math.min(to, draft.cursor), to: Math.max(to, draft.cursor) }, "");
}

/** The word before the cursor replaced, as a completion does. */
export function replaceBefore(draft: Draft, length: number, text: string): Draft {
  return replace(draft, { from: draft.cursor - length, to: draft.cursor }, text);
}

type Motion = (draft: Draft) => number;

const left: Motion = ({ text, cursor }) => cursor - (splitCharacters(text.slice(0, cursor)).at(-1)?.length ?? 0);
const right: Motion = ({ text, cursor }) => cursor + (splitCharacters(text.slice(cursor))[0]?.length ?? 0);
const wordLeft: Motion = ({ text, cursor }) => Math.max(0, text.slice(0, cursor).search(/\S+\s*$/));
const wordRight: Motion = ({ text, cursor }) => cursor + (/^\s*\S+/.exec(text.slice(cursor))?.[0].length ?? 0);
const lineStart: Motion = ({ text, cursor }) => text.lastIndexOf("\n", cursor - 1) + 1;
const lineEnd: Motion = ({ text, cursor }) => {
  const end = text.indexOf("\n", cursor);
  return end === -1 ? text.length : end;
};

const motions: Readonly<Record<string, Motion>> = {
  left,
  right,
  home: lineStart,
  end: lineEnd,
  "ctrl+a": lineStart,
  "ctrl+e": lineEnd,
  "ctrl+b": left,
  "ctrl+f": right,
  "ctrl+left": wordLeft,
  "ctrl+right": wordRight,
  "alt+left": wordLeft,
  "alt+right": wordRight,
  "alt+b": wordLeft,
  "alt+f": wordRight,
};

const deletions: Readonly<Record<string, Motion>> = {
  backspace: left,
  delete: right,
  "ctrl+w": wordLeft,
  "alt+backspace": wordLeft,
  "alt+d": wordRight,
  "ctrl+u": lineStart,
  "ctrl+k": lineEnd,
};

function replace(draft: Draft, { from, to }: { from: number; to: number }, text: string): Draft {
  return { ...draft, text: draft.text.slice(0, from) + text + draft.text.slice(to), cursor: from + text.length };
}

/** Removes what could control the terminal, and our own placeholders. */
function cleanText(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replaceAll("\t", "    ")
    .replace(/(?!\n)[\p{Cc}\u2028\u2029\uE000-\uF8FF]/gu, "");
}
