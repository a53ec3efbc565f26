import { formatLineFragment, type LineRange } from "./citation.ts";

/**
 * How lines of a file are shown to a model, and how a model refers to them. One grammar for both directions, so that
 * whatever a tool prints can be cited.
 *
 *     [[express:lib/router/index.js#L10-L12]]
 *     10|function handle(req) {
 *     11|  …
 *
 * A marker is `[[resource:path#L10-L20]]`, with an optional revision after the resource (`resource@revision:path`)
 * and an optional quote: `[[resource:path#L10-L20 "text"]]`. `[[resource@revision]]` is the commit itself. In a resource and a path, `%`, `#`, quotes, brackets and
 * characters that cannot be seen are percent-encoded. Harmless slips of models are read as well: `#L10-20`, `#L10–L20`,
 * columns (`#L10C2-L20C8`), backticks around the whole, typographic quotes, a path that was decoded.
 * After a citation, `[[#L10-L20]]` is short for lines of the same file.
 */
export interface Passage {
  resource: string;
  path: string;
  startLine: number;
  /** The lines without line ends. */
  lines: string[];
}

/** With `startLine` and `endLine` 0, it names no lines. */
export interface Marker {
  /**
   * `resource[@revision]:path` or `resource@revision`, still joined and encoded: only a list of the resources shows where the name ends.
   * With only one resource, it may be the path alone. Empty in the short form.
   */
  target: string;
  startLine: number;
  endLine: number;
  quote?: string;
}

/** The longest marker that is recognised, in UTF-16 units; an open `[[` is given up after that. */
export const markerLengthLimit = 1200;

const markerBody =
  /^(?<target>[^\n#"“”]*)#L(?<start>\d{1,15})(?:C\d+)?(?:\s*[-–—]\s*L?(?<end>\d{1,15})(?:C\d+)?)?(?:\s*["“](?<quote>[^]*)["”])?$/;

/** What a marker names; with a commit and an empty path, the commit itself. */
interface Marked extends LineRange {
  resource: string;
  path: string;
  commit?: { id: string } | undefined;
}

export function formatMarker(marked: Marked): string {
  const { resource, path, commit } = marked;
  const named = `${encodeName(resource)}${commit === undefined ? "" : `@${encodeName(commit.id)}`}`;
  return path === "" && commit !== undefined
    ? `[[${named}]]`
    : `[[${named}:${encodeName(path)}#${formatLineFragment(marked)}]]`;
}

/** Parses the text between `[[` and `]]`; undefined if it is not a marker. The target may not exist. */
export function parseMarker(body: string): Marker | undefined {
  const bare = body.trim().replace(/^`+([^]*?)`+$/, "$1");
  const groups = markerBody.exec(bare)?.groups;
  const target = groups?.["target"]?.trim();
  if (groups === undefined || target === undefined) return undefined;
  const startLine = Number(groups["start"]);
  const endLine = groups["end"] === undefined ? startLine : Number(groups["end"]);
  const quote = groups["quote"];
  return { target, startLine, endLine, ...(quote ? { quote } : {}) };
}

export function formatPassage({ resource, path, startLine, lines }: Passage): string {
  const endLine = startLine + lines.length - 1;
  return [formatMarker({ resource, path, startLine, endLine }), ...numberLines({ startLine, lines })].join("\n");
}

/** `10|text`; of the lines in `marked` `10>text`. */
export function numberLines(
  { startLine, lines }: Pick<Passage, "startLine" | "lines">,
  marked: ReadonlySet<number> = new Set(),
): string[] {
  const width = String(startLine + lines.length - 1).length;
  return lines.map((line, index) => {
    const number = startLine + index;
    return `${String(number).padStart(width)}${marked.has(number) ? ">" : "|"}${line}`;
  });
}

/** Encodes a resource or a path for a marker. */
export function encodeName(name: string): string {
  return name.replace(/[%#"“”[\]\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => encodeURIComponent(character));
}

/** The path of a marker as it is on disk; text that is no valid encoding stays as it is. */
export function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
