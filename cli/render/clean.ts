import { showInvisible } from "../../server/protocol/invisible.ts";
import type { Style } from "./style.ts";

/**
 * Text of a model, a resource or a server as a terminal may get it: control and invisible characters are shown by
 * their number, so that no text can move the cursor, set the title or hide what it says. Line ends stay; a tab is
 * four spaces. Joined emoji become separate ones without a skin tone, whose widths terminals agree on.
 */
export function clean(text: string, { unicode }: Pick<Style, "unicode">): string {
  const shown = showInvisible(text.replace(/\r\n/g, "\n").replace(/\t/g, "    ").replace(emojiParts, ""));
  return unicode ? shown : shown.replace(/[^\n -~]/gu, (character) => asciiForms[character] ?? character);
}

/** A joiner or a skin tone after an emoji. */
const emojiParts = /(?<=\p{Extended_Pictographic}\uFE0F?)(?:\p{Emoji_Modifier}\u200D?|\u200D)/gu;

/** What prose and our own messages are full of. Letters of other scripts stay: the terminal shows what it can. */
const asciiForms: Readonly<Record<string, string>> = {
  "‹": "<",
  "›": ">",
  "“": '"',
  "”": '"',
  "‘": "'",
  "’": "'",
  "–": "-",
  "—": "-",
  "…": "...",
  "→": "->",
  "·": "-",
  "•": "-",
};

/** The same on one line, and no longer than `limit` characters. */
export function cleanLine(text: string, style: Pick<Style, "unicode">, limit = Infinity): string {
  const line = clean(text, style).replace(/\s+/g, " ").trim();
  const ellipsis = style.unicode ? "…" : "...";
  return line.length <= limit ? line : `${line.slice(0, limit - ellipsis.length)}${ellipsis}`;
}
