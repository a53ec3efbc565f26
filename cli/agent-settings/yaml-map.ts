import { isMap, isScalar, type Pair, parseDocument, type YAMLMap } from "yaml";
import * as z from "zod";

/**
 * Edits of one entry of a map of a YAML file as text, `parent.name`, which leaves everything else as it is, to the
 * character. Both maps must be in block style; others are not edited.
 */
export interface YamlPlace {
  parent: string;
  name: string;
}

const Values = z.record(z.string(), z.unknown());

/** What the entry holds; undefined where there is none. */
export function readYamlEntry(text: string, place: YamlPlace): Record<string, unknown> | undefined {
  const root: unknown = parseDocument(text).toJS();
  const servers = Values.safeParse(Values.safeParse(root).data?.[place.parent]).data;
  return Values.safeParse(servers?.[place.name]).data;
}

/** Why the entry cannot be edited as text; undefined where it can. */
export function yamlFault(text: string, { parent, name }: YamlPlace): string | undefined {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) return error.message.split("\n")[0];
  const root: unknown = document.contents;
  if (root === null || root === undefined || (isScalar(root) && root.value === null)) return undefined;
  if (!isMap(root) || root.flow === true) return "it is no map in block style";
  const servers = findPair(root, parent)?.value;
  if (servers === undefined || servers === null || (isScalar(servers) && servers.value === null)) return undefined;
  if (!isMap(servers) || (servers.flow === true && servers.items.length > 0)) return `${parent} is written inline`;
  const own = findPair(servers, name)?.value;
  if (own === undefined || (isMap(own) && own.flow !== true)) return undefined;
  return `${parent}.${name} is written inline`;
}

/** Sets keys of the entry, which is added at the end of the map where there is none. */
export function setYamlEntry(text: string, place: YamlPlace, values: Readonly<Record<string, unknown>>): string {
  const lines = readLines(text);
  const parent = findKey(lines, place.parent, { from: 0, to: lines.length, indent: 0 });
  const written = Object.entries(values).map(([key, value]) => ({ key, text: `${key}: ${JSON.stringify(value)}` }));
  if (parent === undefined) {
    const block = [`${place.parent}:`, `  ${place.name}:`, ...written.map((line) => `    ${line.text}`)];
    return joinLines(text, insertAt(lines, lines.at(-1) === "" ? lines.length - 1 : lines.length, block));
  }
  const indent = childIndent(lines, parent) ?? 2;
  const own = findKey(lines, place.name, { from: parent.start + 1, to: parent.end, indent });
  if (own === undefined) {
    const block = [`${place.name}:`, ...written.map((line) => `  ${line.text}`)];
    const head = (lines[parent.start] ?? "").replace(/\{\s*\}/, "").trimEnd();
    const opened = lines.with(parent.start, head);
    const indented = block.map((line) => " ".repeat(indent) + line);
    return joinLines(text, insertAt(opened, parent.end, indented));
  }
  const inner = childIndent(lines, own) ?? indent + 2;
  let edited = lines;
  for (const { key, text: line } of written) {
    const within = findKey(edited, place.name, { from: parent.start + 1, to: edited.length, indent });
    if (within === undefined) break;
    const present = findKey(edited, key, { from: within.start + 1, to: within.end, indent: inner });
    const start = present?.start ?? within.start + 1;
    edited = edited.toSpliced(start, present === undefined ? 0 : present.end - present.start, " ".repeat(inner) + line);
  }
  return joinLines(text, edited);
}

/** Removes the entry, and the map with it where nothing else is in it. */
export function removeYamlEntry(text: string, place: YamlPlace): string {
  const lines = readLines(text);
  const parent = findKey(lines, place.parent, { from: 0, to: lines.length, indent: 0 });
  if (parent === undefined) return text;
  const indent = childIndent(lines, parent) ?? 2;
  const own = findKey(lines, place.name, { from: parent.start + 1, to: parent.end, indent });
  if (own === undefined) return text;
  const isAlone = own.start === parent.start + 1 && own.end === parent.end;
  const start = isAlone ? parent.start : own.start;
  return joinLines(text, lines.toSpliced(start, own.end - start));
}

interface Span {
  start: number;
  /** The end of the last line; blank lines and comments before the next key belong to that one. */
  end: number;
}

function findKey(
  lines: readonly string[],
  key: string,
  { from, to, indent }: { from: number; to: number; indent: number },
): Span | undefined {
  const start = lines.findIndex((line, index) => index >= from && index < to && keyAt(line, indent) === key);
  if (start === -1) return undefined;
  const next = lines.findIndex((line, index) => index > start && index < to && endsBlock(line, indent));
  return { start, end: contentEnd(lines, next === -1 ? to : next) };
}

/** The key of a line with exactly this indentation. */
function keyAt(line: string, indent: number): string | undefined {
  if (!isContent(line) || indentOf(line) !== indent) return undefined;
  const [, double, single, plain] = /^\s*(?:"([^"]*)"|'([^']*)'|([^\s:#][^:#]*?))\s*:(?:\s|$)/.exec(line) ?? [];
  return double ?? single ?? plain;
}

/** Items of a list may have the indentation of the list's key. */
function endsBlock(line: string, indent: number): boolean {
  if (!isContent(line) || indentOf(line) > indent) return false;
  return indentOf(line) < indent || !/^\s*-(?:\s|$)/.test(line);
}

function childIndent(lines: readonly string[], { start, end }: Span): number | undefined {
  const first = lines.slice(start + 1, end).find(isContent);
  return first === undefined ? undefined : indentOf(first);
}

function contentEnd(lines: readonly string[], before: number): number {
  let end = before;
  while (end > 0 && !isContent(lines[end - 1] ?? "")) end--;
  return end;
}

function isContent(line: string): boolean {
  return !/^\s*(?:#.*)?$/.test(line);
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function findPair(map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
}

function readLines(text: string): string[] {
  return text === "" ? [] : text.split(/\r?\n/);
}

function insertAt(lines: readonly string[], index: number, block: readonly string[]): string[] {
  return lines.toSpliced(index, 0, ...block);
}

function joinLines(before: string, lines: readonly string[]): string {
  const lineEnd = before.includes("\r\n") ? "\r\n" : "\n";
  const text = lines.join(lineEnd);
  return before === "" ? text + lineEnd : text;
}
