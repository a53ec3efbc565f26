import { isDeepStrictEqual } from "node:util";
import { findNodeAtLocation, type Node, parseTree, visit } from "jsonc-parser";

/**
 * Edits of a JSONC object as text: everything else stays the same to the character. New text follows the indentation,
 * line ends and trailing commas of the file. A comment is removed only with the item that contains it or precedes it on
 * its line. The text must be valid; keys are those of the outermost object.
 */

/** Sets the value at a path of keys, and creates missing objects on the way. */
export function setValue(text: string, path: readonly [string, ...(string | number)[]], value: unknown): string {
  const layout = readLayout(text);
  let container = layout.root;
  for (const [depth, key] of path.entries()) {
    const node = findNodeAtLocation(container, [key]);
    const rest = path.slice(depth + 1);
    if (node === undefined) {
      const missing = rest.reduceRight<unknown>((inner, outer) => ({ [outer]: inner }), value);
      const printed = (indent: string) => printWithin(container, missing, { indent, layout });
      return insertLast(layout, container, (indent) => `${JSON.stringify(key)}: ${printed(indent)}`);
    }
    if (rest.length === 0) {
      const indent = indentationAt(text, node.offset);
      return splice(text, node.offset, endOf(node), printWithin(container, value, { indent, layout }));
    }
    container = node;
  }
  return text;
}

/** Appends an item to the list at `key`. */
export function addItem(text: string, key: string, item: unknown): string {
  const layout = readLayout(text);
  const list = nodeAt(layout, key);
  const last = list.children?.at(-1);
  const isOneLine = last !== undefined && !textOf(layout, last).includes("\n");
  return insertLast(layout, list, (indent) => (isOneLine ? printInLine(item) : print(item, indent, layout)));
}

/** Removes the item at `index` from the list at `key`. */
export function removeItem(text: string, key: string, index: number): string {
  const layout = readLayout(text);
  const list = nodeAt(layout, key);
  if (list.children?.[index] === undefined) throw new RangeError(`${key} has no item ${index}`);
  return removeChild(layout, list, index);
}

/** Changes the object at `index` of the list at `key` from `before`, its parsed value, to `after`. */
export function updateItem(
  text: string,
  key: string,
  index: number,
  { before, after }: Record<"before" | "after", Readonly<Record<string, unknown>>>,
): string {
  const changed = Object.entries(after).filter(([name, value]) => !isDeepStrictEqual(value, before[name]));
  const updated = changed.reduce((edited, [name, value]) => setValue(edited, [key, index, name], value), text);
  const dropped = Object.keys(before).filter((name) => after[name] === undefined);
  return dropped.reduce((edited, name) => removeProperty(edited, [key, index], name), updated);
}

/** A missing property is a default: there is nothing to remove. */
export function removeProperty(text: string, path: readonly (string | number)[], name: string): string {
  const layout = readLayout(text);
  const object = findNodeAtLocation(layout.root, [...path]);
  const index = object?.children?.findIndex((property) => property.children?.[0]?.value === name) ?? -1;
  return object === undefined || index === -1 ? text : removeChild(layout, object, index);
}

/** Removes the child at an offset from the object or list at a path; works for repeated keys. */
export function removeChildAt(text: string, path: readonly (string | number)[], offset: number): string {
  const layout = readLayout(text);
  const holder = findNodeAtLocation(layout.root, [...path]);
  const index = holder?.children?.findIndex((child) => child.offset <= offset && offset < endOf(child)) ?? -1;
  return holder === undefined ? text : removeChild(layout, holder, index);
}

/** Removes an item of a list, or a property of an object, and one comma. */
function removeChild(layout: Layout, list: Node, index: number): string {
  const { text } = layout;
  const items = list.children ?? [];
  const item = items[index];
  if (item === undefined) return text;
  const close = endOf(list) - 1;
  const next = items[index + 1];
  const previous = items[index - 1];
  const comma = commaBetween(layout, endOf(item), next?.offset ?? close);
  // In a list without a trailing comma, the item before the last one must not keep its comma.
  const orphan = previous && comma === undefined ? commaBetween(layout, endOf(previous), item.offset) : undefined;
  const commas = [orphan, comma].filter((offset) => offset !== undefined);
  const ranges = [
    { start: item.offset, end: endOf(item) },
    ...commas.map((offset) => ({ start: offset, end: offset + 1 })),
    ...commentsAfter(layout, item, { next, close }),
  ];
  const edited = removeRanges(text, ranges);
  const open = list.offset + 1;
  const inside = edited.slice(open, close - (text.length - edited.length));
  return inside.trim() === "" ? splice(edited, open, open + inside.length, "") : edited;
}

interface Range {
  start: number;
  end: number;
}

interface Layout {
  text: string;
  root: Node;
  commas: readonly number[];
  comments: readonly Range[];
  lineEnd: "\n" | "\r\n";
  /** One level of indentation. */
  unit: string;
}

function readLayout(text: string): Layout {
  const root = parseTree(text, [], { allowTrailingComma: true });
  if (root?.type !== "object") throw new TypeError("the text is not a JSON object");
  const commas: number[] = [];
  const comments: Range[] = [];
  visit(text, {
    onSeparator: (character, offset) => void (character === "," && commas.push(offset)),
    onComment: (offset, length) => void comments.push({ start: offset, end: offset + length }),
  });
  const first = root.children?.[0];
  const indentation = first === undefined ? "" : indentationAt(text, first.offset);
  const isIndented = first !== undefined && startsLine(text, first.offset) && indentation !== "";
  const lineEnd = /\r?\n/.exec(text)?.[0] === "\r\n" ? "\r\n" : "\n";
  return { text, root, commas, comments, lineEnd, unit: isIndented ? indentation : "  " };
}

function insertLast(layout: Layout, container: Node, printAt: (indentation: string) => string): string {
  const { text, lineEnd, unit } = layout;
  const last = container.children?.at(-1);
  const open = container.offset + 1;
  const close = endOf(container) - 1;
  if (last === undefined) {
    const outer = indentationAt(text, container.offset);
    const comments = text.slice(open, close).trimEnd();
    const content = `${comments}${lineEnd}${outer}${unit}${printAt(outer + unit)}${lineEnd}${outer}`;
    return splice(text, open, close, content);
  }
  const comma = commaBetween(layout, endOf(last), close);
  const comment = commentsAfter(layout, last, { close }).at(-1);
  const position = Math.max(comma === undefined ? endOf(last) : comma + 1, comment?.end ?? 0);
  const isLineComment = comment !== undefined && text.startsWith("//", comment.start);
  const indentation = indentationAt(text, last.offset);
  const separator = isLineComment || startsLine(text, last.offset) ? lineEnd + indentation : " ";
  const added = separator + printAt(indentation) + (comma === undefined ? "" : ",");
  const inserted = splice(text, position, position, added);
  return comma === undefined ? splice(inserted, endOf(last), endOf(last), ",") : inserted;
}

/** On one line if the object that contains it is on one line. */
function printWithin(container: Node, value: unknown, { indent, layout }: { indent: string; layout: Layout }): string {
  const isOneLine = (container.children?.length ?? 0) > 0 && !textOf(layout, container).includes("\n");
  return isOneLine ? printInLine(value) : print(value, indent, layout);
}

function print(value: unknown, indentation: string, { unit, lineEnd }: Layout): string {
  return JSON.stringify(value, null, unit).replaceAll("\n", lineEnd + indentation);
}

/** Line ends inside a string are escaped, so every line end is from the printer. */
function printInLine(value: unknown): string {
  return JSON.stringify(value, null, 1).replace(/\n */g, " ");
}

/**
 * The comments after an item, or after its comma, up to the end of its line. If another item follows on the line,
 * comments after the comma may belong to that one, and are excluded.
 */
function commentsAfter(
  layout: Layout,
  item: Node,
  { next, close }: { next?: Node | undefined; close: number },
): Range[] {
  const { text, comments } = layout;
  const from = endOf(item);
  const comma = commaBetween(layout, from, next?.offset ?? close);
  const lineBreak = text.indexOf("\n", comma ?? from);
  const lineEnd = lineBreak === -1 ? text.length : lineBreak;
  const limit = next !== undefined && next.offset < lineEnd ? (comma ?? from) : Math.min(lineEnd, close);
  return comments.filter(({ start, end }) => start >= from && end <= limit);
}

function commaBetween({ commas }: Layout, start: number, end: number): number | undefined {
  return commas.find((offset) => offset >= start && offset < end);
}

/** Removes ranges, then the empty lines that remain and the spaces around the widest range. */
function removeRanges(text: string, ranges: readonly Range[]): string {
  const merged: Range[] = [];
  for (const range of ranges.toSorted((a, b) => a.start - b.start)) {
    const before = merged.at(-1);
    if (before !== undefined && /^[ \t]*$/.test(text.slice(before.end, range.start))) before.end = range.end;
    else merged.push({ ...range });
  }
  return merged.reduceRight((edited, range) => {
    const { start, end } = range.end - range.start === 1 ? range : withBlanks(text, range);
    return splice(edited, start, end, "");
  }, text);
}

function withBlanks(text: string, { start, end }: Range): Range {
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const lineBreak = text.indexOf("\n", end);
  const nextLine = lineBreak === -1 ? text.length : lineBreak + 1;
  const isFirst = text.slice(lineStart, start).trim() === "";
  const isLast = text.slice(end, nextLine).trim() === "";
  if (isFirst && isLast) return { start: lineStart, end: nextLine };
  if (isLast) return { start: start - (/[ \t]*$/.exec(text.slice(0, start))?.[0].length ?? 0), end };
  // The spaces before it are removed with the comma; those after it precede the end of the list.
  if (text[start] === ",") return { start, end };
  return { start, end: end + (/^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0) };
}

function nodeAt({ root }: Layout, key: string): Node {
  const node = findNodeAtLocation(root, [key]);
  if (node === undefined) throw new RangeError(`the object has no key ${key}`);
  return node;
}

function textOf({ text }: Layout, node: Node): string {
  return text.slice(node.offset, endOf(node));
}

function endOf(node: Node): number {
  return node.offset + node.length;
}

function startsLine(text: string, offset: number): boolean {
  return text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset).trim() === "";
}

function indentationAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", offset - 1) + 1))?.[0] ?? "";
}

function splice(text: string, start: number, end: number, content: string): string {
  return text.slice(0, start) + content + text.slice(end);
}
