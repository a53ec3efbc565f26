import { type ComponentChild, h } from "preact";
import type { Token, Tokens } from "marked";
import { isKnown } from "../../../client/markdown/tokens.ts";
import { showInvisible } from "../../../server/protocol/invisible.ts";
import { say } from "../strings.ts";
import { CodeBlock } from "./code-block.tsx";
import { type InlineContext, renderInline } from "./inline.tsx";

export interface BlockContext extends InlineContext {
  /** The level of the heading before; the next is at most one deeper, as screen readers expect. */
  headingLevel: number;
  /** Whether the text may still go on here. */
  isOpen: boolean;
}

export function renderBlock(token: Token, context: BlockContext): ComponentChild {
  if (!isKnown(token)) return renderRaw(token);
  switch (token.type) {
    case "heading":
      return renderHeading(token, context);
    case "paragraph":
      return <p dir="auto">{renderInline(token.tokens, context)}</p>;
    case "code":
      return <CodeBlock code={token.text} language={languageOf(token)} isOpen={context.isOpen} />;
    case "blockquote":
      return <blockquote>{token.tokens.map((child) => renderBlock(child, context))}</blockquote>;
    case "list":
      return renderList(token, context);
    case "table":
      return renderTable(token, context);
    case "hr":
      return <hr />;
    case "space":
    case "def":
      return null;
    case "text":
      return <div dir="auto">{renderInline(token.tokens ?? [token], context)}</div>;
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
      return renderInline([token], context);
  }
}

function renderRaw({ raw }: Token): ComponentChild {
  return (
    <p dir="auto" class="raw">
      {showInvisible(raw.trimEnd())}
    </p>
  );
}

/** The size is that of the Markdown; the level fits below the headings of the conversation. */
function renderHeading({ depth, tokens }: Tokens.Heading, context: BlockContext): ComponentChild {
  context.headingLevel = Math.min(depth + 3, context.headingLevel + 1, 6);
  const content = renderInline(tokens, context);
  return h(`h${context.headingLevel}`, { dir: "auto", class: `size-${depth}` }, content);
}

function languageOf({ lang = "" }: Tokens.Code): string {
  return lang.trim().split(/[\s,{]/, 1)[0] ?? "";
}

/** Loose and tight lists look the same: a blank line that streams in would move everything above. */
function renderList(list: Tokens.List, context: BlockContext): ComponentChild {
  const items = list.items.map((item, index) => (
    <li key={index} class={item.task ? "task" : undefined}>
      {item.tokens.map((token) => renderBlock(token, context))}
    </li>
  ));
  return list.ordered ? <ol start={Number(list.start) || 0}>{items}</ol> : <ul>{items}</ul>;
}

function renderTable(table: Tokens.Table, context: BlockContext): ComponentChild {
  const cell = (content: Tokens.TableCell) => renderInline(content.tokens, context);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={say("table")}>
      <table>
        <thead>
          <tr>
            {table.header.map((content, index) => (
              <th key={index} dir="auto" scope="col" class={content.align ?? undefined}>
                {cell(content)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, index) => (
            <tr key={index}>
              {row.map((content, column) => (
                <td key={column} dir="auto" class={content.align ?? undefined}>
                  {cell(content)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
