import type { Token, Tokens } from "marked";
import { isWebAddress, linkNote } from "../../../../client/markdown/link-note.ts";
import { decodeReferences } from "../../../../client/markdown/references.ts";
import { isKnown } from "../../../../client/markdown/tokens.ts";
import type { Citation } from "../../../protocol/citation.ts";
import { showInvisible } from "../../../protocol/invisible.ts";
import { type Html, html } from "../html.ts";

/** What the blocks of an answer share. */
export interface MarkdownContext {
  /** The level of the heading before; the next is at most one deeper, as screen readers expect. */
  headingLevel: number;
  citation(citation: Citation): Html;
}

/** A block of an answer as markup. What Markdown has and the page does not show stays text; none of it is read as HTML. */
export function renderBlock(token: Token, context: MarkdownContext): Html | undefined {
  if (!isKnown(token)) return renderRaw(token);
  switch (token.type) {
    case "heading":
      return renderHeading(token, context);
    case "paragraph":
      return html`<p dir="auto">${renderInline(token.tokens, context)}</p>`;
    case "code":
      return renderCode(token);
    case "blockquote":
      return html`<blockquote>${token.tokens.map((child) => renderBlock(child, context))}</blockquote>`;
    case "list":
      return renderList(token, context);
    case "table":
      return renderTable(token, context);
    case "hr":
      return html`<hr />`;
    case "space":
    case "def":
      return undefined;
    case "text":
      return html`<div dir="auto">${renderInline(token.tokens ?? [token], context)}</div>`;
    case "html":
      return renderRaw(token);
    case "br":
    case "checkbox":
    case "citation":
    case "codespan":
    case "del":
    case "em":
    case "escape":
    case "image":
    case "link":
    case "list_item":
    case "strong":
      return html`${renderInline([token], context)}`;
  }
}

function renderRaw({ raw }: Token): Html {
  return html`<p dir="auto" class="raw">${showInvisible(raw.trimEnd())}</p>`;
}

const tags = {
  3: (content: Html[]) => html`<h3 dir="auto">${content}</h3>`,
  4: (content: Html[]) => html`<h4 dir="auto">${content}</h4>`,
  5: (content: Html[]) => html`<h5 dir="auto">${content}</h5>`,
  6: (content: Html[]) => html`<h6 dir="auto">${content}</h6>`,
};

/** Below the heading of the answer, which is an `h2`. */
function renderHeading({ depth, tokens }: Tokens.Heading, context: MarkdownContext): Html {
  context.headingLevel = Math.min(depth + 2, context.headingLevel + 1, 6);
  const content = renderInline(tokens, context);
  if (context.headingLevel <= 3) return tags[3](content);
  if (context.headingLevel === 4) return tags[4](content);
  return context.headingLevel === 5 ? tags[5](content) : tags[6](content);
}

function renderCode({ text, lang = "" }: Tokens.Code): Html {
  const language = showInvisible(lang.trim().split(/[\s,{]/, 1)[0] ?? "");
  const label = language === "" ? "Code" : `Code, ${language}`;
  return html`<pre tabindex="0" role="group" aria-label="${label}"><code dir="ltr">${showInvisible(text)}</code></pre>`;
}

function renderList(list: Tokens.List, context: MarkdownContext): Html {
  const items = list.items.map(({ task, tokens }) => {
    const content = tokens.map((token) => renderBlock(token, context));
    return task ? html`<li class="task">${content}</li>` : html`<li>${content}</li>`;
  });
  return list.ordered
    ? html`<ol start="${Number(list.start) || 0}">
        ${items}
      </ol>`
    : html`<ul>
        ${items}
      </ul>`;
}

function renderTable(table: Tokens.Table, context: MarkdownContext): Html {
  const content = ({ tokens }: Tokens.TableCell) => renderInline(tokens, context);
  const head = table.header.map(
    (cell) => html`<th scope="col" dir="auto" class="${cell.align ?? ""}">${content(cell)}</th>`,
  );
  const rows = table.rows.map((row) => {
    const cells = row.map((cell) => html`<td dir="auto" class="${cell.align ?? ""}">${content(cell)}</td>`);
    return html`<tr>
      ${cells}
    </tr>`;
  });
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Table">
    <table>
      <thead>
        <tr>
          ${head}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

function renderInline(tokens: readonly Token[] | undefined, context: MarkdownContext): Html[] {
  return (tokens ?? []).map((token) => renderToken(token, context));
}

function renderToken(token: Token, context: MarkdownContext): Html {
  if (!isKnown(token)) return text(token.raw);
  switch (token.type) {
    case "citation":
      return context.citation(token.citation);
    case "strong":
      return html`<strong>${renderInline(token.tokens, context)}</strong>`;
    case "em":
      return html`<em>${renderInline(token.tokens, context)}</em>`;
    case "del":
      return html`<del>${renderInline(token.tokens, context)}</del>`;
    case "br":
      return html`<br />`;
    case "codespan":
      return html`<code>${showInvisible(token.text)}</code>`;
    case "checkbox":
      return text(token.raw.includes("x") ? "☑ " : "☐ ");
    case "image":
      return text(`Image, not loaded: ${token.text} ${token.href}`);
    case "link":
      return renderLink(token, context);
    case "escape":
      return text(token.text);
    case "text":
      return token.tokens === undefined
        ? text(decodeReferences(token.text))
        : html`${renderInline(token.tokens, context)}`;
    case "blockquote":
    case "heading":
    case "list_item":
    case "paragraph":
      return html`${renderInline(token.tokens, context)}`;
    case "code":
    case "def":
    case "hr":
    case "html":
    case "list":
    case "space":
    case "table":
      return text(token.raw);
  }
}

function text(raw: string): Html {
  return html`${showInvisible(raw)}`;
}

/** Only web addresses are links; they open without a referrer and without access to this page. */
function renderLink({ href, text, tokens }: Tokens.Link, context: MarkdownContext): Html {
  const inner = renderInline(tokens, context);
  const note = linkNote(href, text);
  const shown = note !== undefined && html` <span class="muted">(${showInvisible(note)})</span>`;
  return isWebAddress(href)
    ? html`<a href="${href}" title="${href}" rel="noopener noreferrer nofollow">${inner}</a>${shown}`
    : html`<span>${inner}${shown}</span>`;
}
