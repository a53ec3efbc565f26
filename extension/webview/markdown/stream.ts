import { Lexer, type Token, type Tokens } from "marked";

/** A top-level block. Finished ones keep their identity, so that nothing above the end is drawn again. */
export interface Block {
  key: number;
  token: Token;
}

export interface MarkdownStream {
  /** The blocks of the whole text so far. Text that goes on with the last is read from its last block only. */
  read(text: string): readonly Block[];
}

/** An open list longer than this is finished item by item, for reading it whole each time would take too long. */
const openItems = 8;

/**
 * Reads Markdown as it grows. A block is finished when a complete line after it has begun another one: only then can
 * nothing join it any more, as `2. b` joins a list that it follows.
 */
export function createMarkdownStream(): MarkdownStream {
  let seen = "";
  let finished: Block[] = [];
  let offset = 0;
  const links: Links = {};

  function finish(token: Token): void {
    if (token.type !== "space") finished = [...finished, { key: offset, token }];
    offset += token.raw.length;
  }
  function finishLines(text: string): void {
    const end = text.lastIndexOf("\n") + 1;
    if (end <= offset || openFence(text.slice(offset, end)) !== undefined) return;
    const tokens = lex(text.slice(offset, end), links);
    const last = tokens.findLastIndex(({ type }) => type !== "space");
    for (const token of tokens.slice(0, last)) finish(token);
    const open = tokens[last];
    if (open !== undefined && isList(open)) finishItems(open);
  }
  function finishItems(list: Tokens.List): void {
    const last = list.items.at(-1);
    if (list.items.length <= openItems || last === undefined || !list.raw.endsWith(last.raw)) return;
    const items = list.items.slice(0, -1);
    finish({ ...list, items, raw: list.raw.slice(0, -last.raw.length) });
  }

  return {
    read(text) {
      if (!text.startsWith(seen)) {
        finished = [];
        offset = 0;
      }
      seen = text;
      finishLines(text);
      return [...finished, ...readOpen(text.slice(offset), { offset, links })];
    },
  };
}

type Links = Lexer["tokens"]["links"];

/** Keys are offsets, so that an open block stays the same element when it is finished. */
function readOpen(text: string, { offset, links }: { offset: number; links: Links }): Block[] {
  const fence = openFence(text);
  if (fence !== undefined) return [{ key: offset, token: fence }];
  let key = offset;
  return lex(text, links).flatMap((token) => {
    const block = { key, token };
    key += token.raw.length;
    return token.type === "space" ? [] : [block];
  });
}

/** A fence that is still open takes the rest of the text: known without reading it all again. */
function openFence(text: string): Tokens.Code | undefined {
  const [head, fence = "", info = ""] = /^(`{3,}|~{3,})([^`\n]*)\n/.exec(text) ?? [];
  if (head === undefined) return undefined;
  const closing = new RegExp(`^ {0,3}${fence}[${fence.charAt(0)}]*[ \\t]*$`, "m");
  const body = text.slice(head.length);
  if (closing.test(body)) return undefined;
  return { type: "code", raw: text, lang: info.trim(), text: body.replace(/\n$/, "") };
}

/** Definitions of links are collected: a later block may use them. */
function lex(text: string, links: Links): Token[] {
  const lexer = new Lexer({ gfm: true });
  Object.assign(lexer.tokens.links, links);
  const tokens = lexer.lex(text);
  Object.assign(links, lexer.tokens.links);
  return tokens;
}

export function isList(token: Token): token is Tokens.List {
  return token.type === "list" && "items" in token;
}
