import type { OutputStream } from "../terminal.ts";
import { displayWidth, splitCharacters } from "./width.ts";

/** Rows as columns that fit a terminal. A program reads whole rows. */
export function formatFor(
  { isTTY, columns }: Pick<OutputStream, "isTTY" | "columns">,
  rows: readonly (readonly string[])[],
): string {
  return isTTY ? formatFitted(rows, columns || 80) : formatTable(rows);
}

/** Rows as aligned columns, two spaces apart; the last column is never padded and nothing is cut. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => displayWidth(row[column] ?? ""))),
  );
  return rows.map((row) => `${row.map((cell, column) => pad(cell, column, row)).join("  ")}\n`).join("");

  function pad(cell: string, column: number, row: readonly string[]): string {
    const isLast = column === row.length - 1;
    return isLast ? cell : cell + " ".repeat((widths[column] ?? 0) - displayWidth(cell));
  }
}

/** Rows of names and sentences: the sentences are wrapped at words, below their own beginning. */
export function formatWrapped(rows: readonly (readonly [name: string, text: string])[], columns: number): string {
  const indent = Math.max(...rows.map(([name]) => displayWidth(name))) + 2;
  const width = Math.max(columns - indent, 20);
  return formatTable(
    rows.flatMap(([name, text]) => wrapWords(text, width).map((line, index) => [index === 0 ? name : "", line])),
  );
}

/**
 * The same as `formatTable` in so many columns: what does not fit is wrapped at words below its own beginning, and a word
 * that is too long, such as a path, is cut in its middle. Where columns would become too narrow to read, each row is its
 * first cell and, indented, the others.
 */
export function formatFitted(rows: readonly (readonly string[])[], columns: number): string {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(...rows.map((row) => displayWidth(row[column] ?? ""))),
  );
  const room = columns - gap.length * (count - 1);
  while (sum(widths) > room) {
    // The first column has the names that are typed.
    const widest = widths.reduce((best, width, at) => (at > 0 && width > (widths[best] ?? 0) ? at : best), 1);
    const width = widths[widest] ?? 0;
    if (width <= leastWidth) return formatStacked(rows, columns);
    widths[widest] = width - 1;
  }
  const fitted = rows.flatMap((row) => {
    const cells = row.map((cell, column) => wrapFitted(cell, widths[column] ?? 0));
    const height = Math.max(1, ...cells.map((lines) => lines.length));
    return Array.from({ length: height }, (_, line) => cells.map((lines) => lines[line] ?? ""));
  });
  return formatTable(fitted).replace(/ +$/gm, "");
}

const gap = "  ";
/** Narrower columns are one word on each line. */
const leastWidth = 16;

function formatStacked(rows: readonly (readonly string[])[], columns: number): string {
  return rows
    .flatMap(([name = "", ...others]) => [
      name,
      ...pack(
        others.filter((cell) => cell !== "").flatMap((cell) => wrapFitted(cell, columns - gap.length)),
        gap,
        columns - gap.length,
      ).map((line) => gap + line),
    ])
    .map((line) => `${line}\n`)
    .join("");
}

function wrapFitted(text: string, columns: number): string[] {
  return wrapWords(text, columns).map((line) => cutMiddle(line, columns));
}

/** `https://github.com/owner/…/guide`: both ends of a text that is too long. */
function cutMiddle(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  const characters = splitCharacters(text);
  const first = takeColumns(characters, Math.ceil((columns - 1) / 2));
  const last = takeColumns(characters.toReversed(), Math.floor((columns - 1) / 2)).toReversed();
  return `${first.join("")}…${last.join("")}`;
}

function takeColumns(characters: readonly string[], columns: number): string[] {
  let width = 0;
  const end = characters.findIndex((character) => (width += displayWidth(character)) > columns);
  return characters.slice(0, end === -1 ? characters.length : end);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Lines of at most so many columns; a longer word has a line of its own. */
export function wrapWords(text: string, columns: number): string[] {
  return pack(text.split(" "), " ", columns);
}

function pack(parts: readonly string[], separator: string, columns: number): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const joined = `${lines.at(-1)}${separator}${part}`;
    if (lines.length > 0 && displayWidth(joined) <= columns) lines[lines.length - 1] = joined;
    else lines.push(part);
  }
  return lines;
}

/** `512 B`, `1.4 MB`: powers of 1000, as file managers show. */
export function formatSize(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
  const value = bytes / 1000 ** power;
  return `${value >= 100 || power === 0 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}
