import * as z from "zod";

/**
 * Edits of one table of a TOML file as text, which leaves everything else as it is, to the character. The table must
 * have a header of its own, `[parent.name]`; one written inline is not touched.
 */

export type TomlValue = string | readonly string[] | Readonly<Record<string, string>>;

/** Gives keys of the table `[parent.name]`, which is made at the end of the file where there is none. */
export function setTomlTable(
  text: string,
  { parent, name }: TomlTable,
  values: Readonly<Record<string, TomlValue>>,
): string {
  const lineEnd = lineEndOf(text);
  const lines = readLines(text);
  const own = findTable(lines, { parent, name });
  const written = Object.entries(values).map(([key, value]) => ({ key, text: `${key} = ${printValue(value)}` }));
  if (own === undefined) {
    const table = [`[${parent}.${name}]`, ...written.map((line) => line.text)].join(lineEnd);
    if (text.trim() === "") return text + table + lineEnd;
    // A file without a last line end stays one, so that removing the table gives the same file again.
    return text.endsWith("\n") ? text + lineEnd + table + lineEnd : text + lineEnd + lineEnd + table;
  }
  let body = lines.slice(own.start + 1, own.end);
  for (const { key, text: line } of written) {
    const at = body.findIndex((candidate) => candidate.key === key);
    const replacement = { text: line, key };
    // A key that is not there yet comes first, before blank lines and comments at the end.
    body = at === -1 ? [replacement, ...body] : body.toSpliced(at, 1, withComment(replacement, body[at]));
  }
  return [...lines.slice(0, own.start + 1), ...body, ...lines.slice(own.end)].map((line) => line.text).join(lineEnd);
}

/** Removes the table, with the tables below it and the blank line before it. */
export function removeTomlTable(text: string, { parent, name }: TomlTable): string {
  const lineEnd = lineEndOf(text);
  let lines = readLines(text);
  for (let own = findTable(lines, { parent, name, orBelow: true }); own !== undefined;) {
    const isSpaced = own.start > 0 && lines[own.start - 1]?.text.trim() === "";
    lines = lines.toSpliced(isSpaced ? own.start - 1 : own.start, own.end - own.start + (isSpaced ? 1 : 0));
    own = findTable(lines, { parent, name, orBelow: true });
  }
  return lines.map((line) => line.text).join(lineEnd);
}

/**
 * What the table holds: texts and lists of texts, as servers are written. Other values are left out. Undefined where
 * there is no such table.
 */
export function readTomlTable(text: string, table: TomlTable): Record<string, string | string[]> | undefined {
  const lines = readLines(text);
  const own = findTable(lines, table);
  if (own === undefined) return undefined;
  const fields = lines.slice(own.start + 1, own.end).flatMap(({ key, text: line }) => {
    const value = key === undefined ? undefined : readValue(line.slice(line.indexOf("=") + 1).trim());
    return value === undefined ? [] : [[key ?? "", value] as const];
  });
  return Object.fromEntries(fields);
}

/** Whether something else than a header of its own gives the table: then nothing can be edited as text. */
export function isInlineTable(text: string, { parent, name }: TomlTable): boolean {
  let table: string[] = [];
  for (const { header, key } of readLines(text)) {
    if (header !== undefined) table = header;
    if (key === undefined) continue;
    const full = [...table, ...keyParts(key)].slice(0, 2);
    if (table.length < 2 && full[0] === parent && (full.length === 1 || full[1] === name)) return true;
  }
  return false;
}

export interface TomlTable {
  parent: string;
  name: string;
}

/** One statement: a value may go over several lines. */
interface Line {
  text: string;
  header?: string[];
  key?: string;
}

function lineEndOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

function readLines(text: string): Line[] {
  const lineEnd = lineEndOf(text);
  const statements: Line[] = [];
  let open: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    const whole: string = open === undefined ? line : open + lineEnd + line;
    if (isOpen(whole)) {
      open = whole;
      continue;
    }
    open = undefined;
    const header = /^\s*\[\[?([^[\]]+)\]\]?\s*(?:#.*)?$/.exec(line)?.[1];
    const key = /^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=/.exec(whole)?.[1];
    if (whole === line && header !== undefined) statements.push({ text: whole, header: keyParts(header) });
    else statements.push(key === undefined ? { text: whole } : { text: whole, key });
  }
  // What never closes is no TOML: it is left as it is.
  return open === undefined ? statements : [...statements, { text: open }];
}

/** From left to right what brackets do not count in; the group is there where a text of several lines does not end. */
const quotedOrComment = /"""[\s\S]*?"""|'''[\s\S]*?'''|("""|''')[\s\S]*$|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|#[^\n]*/g;

/** Whether a text of several lines is open after it, or a list. */
function isOpen(statement: string): boolean {
  const value = /^\s*[^#=\n]*=([\s\S]*)$/.exec(statement)?.[1];
  if (value === undefined) return false;
  const code = value.replace(quotedOrComment, (_text, unclosed: string | undefined) =>
    unclosed === undefined ? "" : "[",
  );
  const count = (brackets: RegExp) => code.match(brackets)?.length ?? 0;
  return count(/[[{]/g) > count(/[\]}]/g);
}

function findTable(
  lines: readonly Line[],
  { parent, name, orBelow = false }: TomlTable & { orBelow?: boolean },
): { start: number; end: number } | undefined {
  const isOwn = ({ header = [] }: Line) =>
    header[0] === parent && header[1] === name && (orBelow || header.length === 2);
  const start = lines.findIndex(isOwn);
  if (start === -1) return undefined;
  const next = lines.findIndex((line, index) => index > start && line.header !== undefined);
  return { start, end: next === -1 ? endOfBody(lines) : blanksBefore(lines, { start, end: next }) };
}

/** The text after the last line end is no line. */
function endOfBody(lines: readonly Line[]): number {
  return lines.at(-1)?.text === "" ? lines.length - 1 : lines.length;
}

/** Comments and blank lines before the next header belong to that one. */
function blanksBefore(lines: readonly Line[], { start, end }: { start: number; end: number }): number {
  let last = end;
  while (last > start + 1 && /^\s*(#.*)?$/.test(lines[last - 1]?.text ?? "")) last--;
  return last;
}

/** The comment after a value that is on one line stays. */
function withComment(line: Line, before: Line | undefined): Line {
  const bare = before?.text.replace(/"(?:\\.|[^"\\\n])*"|'[^'\n]*'/g, (quoted) => "_".repeat(quoted.length)) ?? "";
  const at = bare.includes("\n") ? -1 : bare.indexOf("#");
  return at === -1 ? line : { ...line, text: `${line.text} ${before?.text.slice(at) ?? ""}` };
}

function keyParts(key: string): string[] {
  return [...key.matchAll(/"([^"]*)"|'([^']*)'|([\w-]+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? "",
  );
}

/** The escapes of JSON are escapes of TOML, too: https://toml.io/en/v1.0.0#string */
function printValue(value: TomlValue): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (isList(value)) return `[${value.map((item) => JSON.stringify(item)).join(", ")}]`;
  const fields = Object.entries(value).map(([key, item]) => `${key} = ${JSON.stringify(item)}`);
  return `{ ${fields.join(", ")} }`;
}

const quoted = /"(?:\\.|[^"\\\n])*"|'[^'\n]*'/g;

function readValue(value: string): string | string[] | undefined {
  const texts = [...value.matchAll(quoted)].map(([text]) => readText(text));
  if (value.startsWith("[")) return texts;
  return value.startsWith('"') || value.startsWith("'") ? texts[0] : undefined;
}

/** Escapes that JSON does not have (`\\U0001F600`, `\\e`) leave the text as it is written. */
function readText(text: string): string {
  if (text.startsWith("'")) return text.slice(1, -1);
  try {
    return z.string().parse(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}

function isList(value: Exclude<TomlValue, string>): value is readonly string[] {
  return Array.isArray(value);
}
