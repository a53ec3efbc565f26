import { type ComponentChild, h } from "preact";
import type { Token, Tokens } from "marked";
import { showInvisible } from "../../../server/protocol/invisible.ts";
import { say } from "../strings.ts";
import { CodeBlock } from "./code-block.tsx";
import { type InlineContext, renderInline } from "./inline.tsx";
import { isList } from "./stream.ts";

export interface BlockContext extends InlineContext {
  /** The level of the heading before; the next is at most one deeper, as screen readers expect. */
  headingLevel: number;
  /** Whether the text may still go on here. */
  isOpen: boolean;
}

export function renderBlock(token: Token, context: BlockContext): ComponentChild {
  const inner = "tokens" in token ? token.tokens : undefined;
  switch (token.type) {
    case "heading":
      return renderHeading(token, context);
    case "paragraph":
      return <p dir="auto">{renderInline(inner, context)}</p>;
    case "code":
      return renderCode(token, context);
    case "blockquote":
      return <blockquote>{(inner ?? []).map((child) => renderBlock(child, context))}</blockquote>;
    case "list":
      return isList(token) ? renderList(token, context) : null;
    case "table":
      return isTable(token) ? renderTable(token, context) : null;
    case "hr":
      return <hr />;
    case "space":
    case "def":
      return null;
    case "text":
      return <div dir="auto">{renderInline(inner ?? [token], context)}</div>;
    case "checkbox":
      return renderInline([token], context);
    default:
      return (
        <p dir="auto" class="raw">
          {showInvisible(token.raw.trimEnd())}
        </p>
      );
  }
}

/** The size is that of the Markdown; the level fits below the headings of the conversation. */
function renderHeading(token: Token, context: BlockContext): ComponentChild {
  const depth = "depth" in token && typeof token.depth === "number" ? token.depth : 1;
  context.headingLevel = Math.min(depth + 3, context.headingLevel + 1, 6);
  const content = renderInline("tokens" in token ? token.tokens : [], context);
  return h(`h${context.headingLevel}`, { dir: "auto", class: `size-${depth}` }, content);
}

function renderCode(token: Token, context: BlockContext): ComponentChild {
  const text = "text" in token && typeof token.text === "string" ? token.text : token.raw;
  const lang = "lang" in token && typeof token.lang === "string" ? token.lang : "";
  context.finder.code(text);
  return <CodeBlock code={text} language={lang.split(/[\s,{]/, 1)[0] ?? ""} isOpen={context.isOpen} />;
}

/** Whether items are apart is left out: one blank line would move all that stands above. */
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

function isTable(token: Token): token is Tokens.Table {
  return "header" in token && "rows" in token;
}
