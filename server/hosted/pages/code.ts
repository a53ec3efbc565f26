import { showInvisible } from "../../protocol/invisible.ts";
import { highlightCode } from "../../source/highlight.ts";
import type { Language } from "../../source/languages.ts";
import { type Html, html } from "./html.ts";

/** The lines of source code, without their ends, with the classes of the stylesheet. Invisible characters are shown. */
export function codeLines(language: Language, text: string): Html[] {
  return highlightCode(language, showInvisible(text)).map(
    (line) =>
      html`${line.map(({ text: part, marks: [mark] }) => (mark === undefined ? part : html`<span class="${mark}">${part}</span>`))}`,
  );
}
