import { type AST, getStaticTOMLValue, parseTOML } from "toml-eslint-parser";
import { messageOf } from "../../server/errors.ts";

/**
 * Edits of one table of a TOML file as text; everything else stays the same to the character. The table must have a
 * header of its own, `[parent.name]`. All but `tomlFault` need a text without a fault.
 */
export interface TomlTable {
  parent: string;
  name: string;
}

/** A value that can be written to a TOML table. */
export type TomlValue = string | readonly string[] | Readonly<Record<string, string>>;

/** Why the table cannot be edited as text: the file is no TOML, or the table is written inline. */
export function tomlFault(text: string, { parent, name }: TomlTable): string | undefined {
  try {
    const isInline = statementsOf(text).some((statement) => {
      const table = statement.type === "TOMLTable" ? pathOf(statement) : [];
      if (table.length > 1) return false;
      const pairs = statement.type === "TOMLTable" ? statement.body : [statement];
      const paths = pairs.map((pair) => [...table, ...pathOf(pair)]);
      return paths.some(([first, second = name]) => first === parent && second === name);
    });
    return isInline ? `${parent}.${name} is written inline` : undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** The values of the table, by key; undefined if there is no such table. */
export function readTomlTable(text: string, table: TomlTable): Record<string, unknown> | undefined {
  const own = findTable(text, table);
  return own && Object.fromEntries(own.body.map((pair) => [keyOf(pair), getStaticTOMLValue(pair.value)]));
}

/** Sets keys of the table, which is added at the end of the file if there is none. */
export function setTomlTable(text: string, table: TomlTable, values: Readonly<Record<string, TomlValue>>): string {
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = new Map(Object.entries(values).map(([key, value]) => [key, printValue(value)]));
  const print = (keys: string[]) => keys.map((key) => `${key} = ${lines.get(key)}`).join(lineEnd);
  const own = findTable(text, table);
  if (own === undefined) {
    const added = [`[${table.parent}.${table.name}]`, print([...lines.keys()])].join(lineEnd);
    if (text.trim() === "") return text + added + lineEnd;
    // A file without a final line end keeps none, so that removing the table restores the file.
    return text.endsWith("\n") ? text + lineEnd + added + lineEnd : text + lineEnd + lineEnd + added;
  }
  // The edits begin at the end of the table, so that the earlier ranges stay valid.
  const edited = own.body.toReversed().reduce((edited, pair) => {
    const value = lines.get(keyOf(pair));
    return value === undefined ? edited : replace(edited, pair.value.range, value);
  }, text);
  const missing = [...lines.keys()].filter((key) => !own.body.some((pair) => keyOf(pair) === key));
  if (missing.length === 0) return edited;
  const headerEnd = endOfLine(text, own.key.range[1]);
  const isEnded = text[headerEnd - 1] === "\n";
  const added = isEnded ? print(missing) + lineEnd : lineEnd + print(missing);
  return replace(edited, [headerEnd, headerEnd], added);
}

/** Removes the table, the tables below it, and the blank line before each. */
export function removeTomlTable(text: string, table: TomlTable): string {
  return tablesOf(text, table)
    .toReversed()
    .reduce((edited, { range }) => {
      const end = endOfLine(edited, range[1]);
      const before = edited.slice(0, range[0]);
      const isLastLine = edited[end - 1] !== "\n";
      const spacing = (isLastLine ? /(?:\r?\n){0,2}$/ : /(?<=^|\n)\r?\n$/).exec(before)?.[0] ?? "";
      return replace(edited, [range[0] - spacing.length, end], "");
    }, text);
}

function statementsOf(text: string): (AST.TOMLTable | AST.TOMLKeyValue)[] {
  return parseTOML(text).body[0].body;
}

function pathOf({ key }: AST.TOMLTable | AST.TOMLKeyValue): string[] {
  return getStaticTOMLValue(key);
}

function keyOf(pair: AST.TOMLKeyValue): string {
  return pathOf(pair).join(".");
}

function findTable(text: string, table: TomlTable): AST.TOMLTable | undefined {
  return tablesOf(text, table).find((one) => pathOf(one).length === 2);
}

/** The table and the tables below it. */
function tablesOf(text: string, { parent, name }: TomlTable): AST.TOMLTable[] {
  return statementsOf(text)
    .filter((statement) => statement.type === "TOMLTable")
    .filter((table) => pathOf(table)[0] === parent && pathOf(table)[1] === name);
}

function endOfLine(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  return end === -1 ? text.length : end + 1;
}

function replace(text: string, [start, end]: readonly [number, number], replacement: string): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

/** The escapes of JSON are valid in TOML: https://toml.io/en/v1.0.0#string */
function printValue(value: TomlValue): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (isList(value)) return `[${value.map((item) => JSON.stringify(item)).join(", ")}]`;
  const fields = Object.entries(value).map(([key, item]) => `${key} = ${JSON.stringify(item)}`);
  return `{ ${fields.join(", ")} }`;
}

function isList(value: Exclude<TomlValue, string>): value is readonly string[] {
  return Array.isArray(value);
}
