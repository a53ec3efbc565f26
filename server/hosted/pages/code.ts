import type { CodeSpan } from "../../source/highlight.ts";
import { type Html, html } from "./html.ts";

/** A line of source code, without its end, with the classes of the stylesheet. */
export function codeLine(spans: readonly CodeSpan[]): Html {
  return html`${spans.map(({ text, marks: [mark] }) => (mark === undefined ? text : html`<span class="${mark}">${text}</span>`))}`;
}
