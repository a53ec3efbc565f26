import { findNodeAtLocation, getNodePath, type JSONPath, type Node } from "jsonc-parser";
import type { Span, SpanEdit } from "../../protocol/config-language.ts";

/** The span of a node of the parser. */
export function spanOf({ offset, length }: { offset: number; length: number }): Span {
  return { start: offset, end: offset + length };
}

/** Whether two spans overlap or touch, such as a cursor at the end of a span. */
export function touches(a: Span, b: Span): boolean {
  return a.start <= b.end && b.start <= a.end;
}

/** The string at a path; undefined if there is none, or another type of value. */
export function textAt(tree: Node | undefined, path: JSONPath): string | undefined {
  const node = tree && findNodeAtLocation(tree, path);
  return node?.type === "string" ? String(node.value) : undefined;
}

/** A resource in the text, which may be incomplete or invalid. */
export interface ResourceNode {
  index: number;
  node: Node;
  type: string | undefined;
  name: string | undefined;
  nameNode: Node | undefined;
}

/** The objects in `resources`, valid or not. */
export function resourceNodes(tree: Node | undefined): ResourceNode[] {
  const list = tree && findNodeAtLocation(tree, ["resources"]);
  if (list?.type !== "array") return [];
  return (list.children ?? []).flatMap((node, index) => {
    if (node.type !== "object") return [];
    const nameNode = findNodeAtLocation(node, ["name"]);
    return [{ index, node, type: textAt(node, ["type"]), name: textAt(node, ["name"]), nameNode }];
  });
}

/** Every string below a node, with its path. */
export function textsBelow(tree: Node | undefined): { node: Node; path: JSONPath }[] {
  if (tree === undefined) return [];
  const found = [tree];
  for (const node of found) {
    const below = node.type === "property" ? (node.children ?? []).slice(1) : (node.children ?? []);
    for (const child of below) found.push(child);
  }
  return found.filter(({ type }) => type === "string").map((node) => ({ node, path: getNodePath(node) }));
}

/** The smallest single edit from one text to another. */
export function editBetween(before: string, after: string): SpanEdit {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let shared = 0;
  const limit = Math.min(before.length, after.length) - start;
  while (shared < limit && before[before.length - 1 - shared] === after[after.length - 1 - shared]) shared++;
  return { start, end: before.length - shared, text: after.slice(start, after.length - shared) };
}
