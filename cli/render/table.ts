import { displayWidth } from "./width.ts";

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

/** Lines of at most so many columns; a longer word has a line of its own. */
export function wrapWords(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const joined = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && displayWidth(joined) <= columns) lines[lines.length - 1] = joined;
    else lines.push(word);
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
