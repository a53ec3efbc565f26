import { parse } from "yaml";

/**
 * Parses the entries at one level of a YAML text whose first line matches; undefined if they are not YAML. Parsing the
 * whole lockfile of a large repository would block for seconds (25,000 lines: 2 s).
 */
export function parseEntries(
  text: string,
  { level, isWanted }: { level: number; isWanted: (firstLine: string) => boolean },
): unknown {
  const indent = " ".repeat(level);
  const entries = text.split(new RegExp(`\\r?\\n(?=${indent}[^\\s#])`));
  const wanted = entries.filter((entry) => entry.startsWith(indent) && isWanted(firstLineOf(entry)));
  try {
    return parse(wanted.join("\n"), { logLevel: "silent" });
  } catch {
    return undefined;
  }
}

/** The text below a top-level key; empty if there is no such key. */
export function sectionOf(text: string, key: string): string {
  const section = text.split(/\r?\n(?=[^\s#])/).find((entry) => firstLineOf(entry).trimEnd() === `${key}:`);
  return section?.slice(key.length + 1) ?? "";
}

function firstLineOf(text: string): string {
  const end = text.indexOf("\n");
  return end === -1 ? text : text.slice(0, end);
}
