import type { Token, Tokens } from "marked";
import type { Citation } from "../../server/protocol/citation.ts";
import { lexBlocks, type Links, type Source, withoutPlaceholders, withPlaceholders } from "./lexer.ts";
import { type BlockNode, toBlockNode } from "./tree.ts";

/** A top-level block. Settled blocks keep their identity, so that a view lays each out once. */
export interface Block {
  /** Where it begins: unique within the text, and kept by an open block when it settles. */
  key: number;
  /** The offset of its end. */
  end: number;
  node: BlockNode;
  /** Whether it follows the block before without a blank line, as the next item of a list does. */
  isTight: boolean;
}

/**
 * Reads the Markdown of an answer as it grows. Text that does not begin with the text before is read from its start.
 */
export interface MarkdownReader {
  /** The blocks that no later text changes. The pieces that the text arrives in make no difference. */
  settled(text: string, citations: readonly Citation[]): readonly Block[];
  /** All blocks of the text so far: the settled ones, and the rest as it looks now. */
  read(text: string, citations: readonly Citation[]): readonly Block[];
}

/**
 * A list with more than `openItems` items settles item by item, for a long one takes too long to read again and again.
 */
export function createMarkdownReader(options: { openItems: number }): MarkdownReader {
  let progress = startOf([]);
  const advance = (text: string, citations: readonly Citation[]): Source => {
    const source = withPlaceholders(text, citations);
    const isOther = progress.citations.some((citation, index) => citation !== citations[index]);
    if (isOther || !source.text.startsWith(progress.text)) progress = startOf(citations);
    progress.text = source.text;
    progress.citations = citations;
    readLines(progress, source, options);
    return source;
  };
  return {
    settled(text, citations) {
      advance(text, citations);
      return progress.blocks;
    },
    read(text, citations) {
      const source = advance(text, citations);
      const rest = { ...progress, links: { ...progress.links }, heading: { ...progress.heading } };
      return [...progress.blocks, ...toBlocks(lexRest(source.text.length, rest, source), rest, source)];
    },
  };
}

/** What has been read of a text that only grows. */
interface Progress {
  text: string;
  citations: readonly Citation[];
  blocks: readonly Block[];
  /** Where the settled blocks end, and where the first incomplete line begins. */
  offset: number;
  lineStart: number;
  isAfterBlank: boolean;
  /** What closes the fenced block that is open. */
  closingFence?: RegExp | undefined;
  links: Links;
  /** The last heading before `offset`. */
  heading: { level: number };
  /** The number of the next item, where the list at `offset` has settled items. */
  nextNumber?: number | undefined;
}

function startOf(citations: readonly Citation[]): Progress {
  return {
    text: "",
    citations,
    blocks: [],
    offset: 0,
    lineStart: 0,
    isAfterBlank: false,
    links: {},
    heading: { level: 0 },
  };
}

/** A line that may end the block before: an item, a heading, a fence. Others wait for the next blank line. */
const beginsBlock = /^ {0,3}(?:[-*+]\s|\d{1,9}[.)]\s|#|`{3}|~{3})/;

function readLines(progress: Progress, source: Source, options: { openItems: number }): void {
  const { text } = source;
  for (let end = text.indexOf("\n", progress.lineStart); end !== -1; end = text.indexOf("\n", progress.lineStart)) {
    const line = text.slice(progress.lineStart, end);
    progress.lineStart = end + 1;
    if (progress.closingFence?.test(line) === false) continue;
    const isBlank = line.trim() === "";
    const mayEnd = progress.isAfterBlank ? !isBlank : isBlank || beginsBlock.test(line);
    progress.isAfterBlank = isBlank;
    if (mayEnd) settle(progress, source, { ...options, isBlank });
  }
}

/** Settles the blocks up to the end of the last line, but for the last block where later lines may still join it. */
function settle(
  progress: Progress,
  source: Source,
  { openItems, isBlank }: { openItems: number; isBlank: boolean },
): void {
  const tokens = lexRest(progress.lineStart, progress, source);
  const last = tokens.findLastIndex(({ type }) => type !== "space");
  const open = tokens[last];
  if (open === undefined) return;
  progress.closingFence = closingFenceOf(open);
  const isFenced = "codeBlockStyle" in open ? open.codeBlockStyle !== "indented" : open.type === "code";
  const isComplete = isFenced ? progress.closingFence === undefined : isBlank && endsAtBlank.has(open.type);
  settleTokens(progress, source, isComplete ? tokens : tokens.slice(0, last));
  if (!isComplete && isList(open) && open.items.length > openItems) settleItems(progress, source, open);
}

/** A blank line may be a part of the other types. */
const endsAtBlank: ReadonlySet<string> = new Set(["blockquote", "def", "heading", "hr", "paragraph", "raw", "table"]);

function settleTokens(progress: Progress, source: Source, tokens: readonly Token[]): void {
  if (tokens.length === 0) return;
  progress.blocks = [...progress.blocks, ...toBlocks(tokens, progress, source)];
  progress.nextNumber = undefined;
}

function settleItems(progress: Progress, source: Source, list: Tokens.List): void {
  const items = list.items.slice(0, -1);
  const raw = items.map((item) => item.raw).join("");
  if (!list.raw.startsWith(raw)) return;
  settleTokens(progress, source, [{ ...list, items, raw }]);
  progress.nextNumber = list.ordered ? Number(list.start) + items.length : undefined;
}

/** The tokens between the settled blocks and `end`. */
function lexRest(end: number, { offset, links, nextNumber }: Progress, { text, pieces }: Source): Token[] {
  const tokens = lexBlocks(copyOf(text.slice(offset, end)), { pieces, links });
  const [first] = tokens;
  if (nextNumber !== undefined && first !== undefined && isList(first)) first.start = nextNumber;
  return tokens;
}

/** A slice keeps the string that it is cut from in memory; settled tokens would each keep the answer as it was then. */
function copyOf(slice: string): string {
  return ` ${slice}`.slice(1);
}

/** The tokens as blocks. Moves `progress` behind them. */
function toBlocks(tokens: readonly Token[], progress: Progress, { text, pieces }: Source): Block[] {
  const { heading } = progress;
  const restore = (written: string) => withoutPlaceholders(written, pieces);
  return tokens.flatMap((token): Block[] => {
    const key = progress.offset;
    const end = key + token.raw.length;
    progress.offset = end;
    const node = toBlockNode(token, { restore, heading, depth: 0 });
    return node === undefined ? [] : [{ key, end, node, isTight: isList(token) && joins(text.slice(0, key)) }];
  });
}

/**
 * Whether a list is set right below the text before: there is no blank line, and no code, which has space around it.
 */
function joins(before: string): boolean {
  const text = before.trimEnd();
  return !/\n.*\n/.test(before.slice(text.length)) && !/[`~]{3}$/.test(text.slice(-3));
}

/** Undefined for all but a fenced block that is still open. */
function closingFenceOf({ type, raw }: Token): RegExp | undefined {
  const marks = type === "code" ? /^ {0,3}(`{3,}|~{3,})/.exec(raw)?.[1] : undefined;
  if (marks === undefined) return undefined;
  const closing = new RegExp(`^ {0,3}${marks}[${marks.charAt(0)}]*[ \\t]*$`);
  const body = raw.trimEnd().split("\n").slice(1);
  return closing.test(body.at(-1) ?? "") ? undefined : closing;
}

function isList(token: Token): token is Tokens.List {
  return token.type === "list" && "items" in token;
}
