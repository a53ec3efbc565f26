import type { Markup } from "../../../../client/markdown/markup.ts";
import { answerWords, english } from "../../../protocol/answer-words.ts";
import type { Citation } from "../../../protocol/citation.ts";
import { showInvisible } from "../../../protocol/invisible.ts";
import { highlightBlock } from "../../../source/highlight.ts";
import { languageOfTag } from "../../../source/languages.ts";
import { codeLine } from "../code.ts";
import { type Html, html, markedUp } from "../html.ts";

/** The markup of an answer as the page has it; `draw` draws its citations. */
export function renderMarkup(parts: readonly Markup[], draw: (citation: Citation) => Html): Html[] {
  return parts.map((part) => renderPart(part, draw));
}

function renderPart(part: Markup, draw: (citation: Citation) => Html): Html {
  if (typeof part === "string") return html`${part}`;
  switch (part.type) {
    case "element": {
      const { attributes, children } = part;
      const tag = markedUp(part.tag);
      const set = Object.entries(attributes).map(([name, value]) => html` ${markedUp(name)}="${value}"`);
      if (part.tag === "br" || part.tag === "hr") return html`<${tag}${set} />`;
      return html`<${tag}${set}>${renderMarkup(children, draw)}</${tag}>`;
    }
    case "code": {
      const { say } = english;
      const language = showInvisible(part.language);
      const lines = highlightBlock(languageOfTag(part.language), showInvisible(part.text)).map(codeLine);
      const label = language === "" ? say(answerWords.code) : say(answerWords.codeIn, language);
      return html`<pre
        tabindex="0"
        role="group"
        aria-label="${label}"
      ><code dir="ltr">${lines.flatMap((line, index) => (index === 0 ? [line] : ["\n", line]))}</code></pre>`;
    }
    case "link": {
      // It opens without a referrer and without access to this page.
      const { url } = part;
      const inner = renderMarkup(part.children, draw);
      return html`<a href="${url}" title="${url}" rel="noopener noreferrer nofollow">${inner}</a>`;
    }
    case "citation":
      return draw(part.citation);
  }
}
