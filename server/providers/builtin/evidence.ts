import { withoutComments } from "../../source/calls.ts";
import { type Definition, findDefinitions, findDefinitionsWithin } from "../../source/definitions.ts";
import { languageOf } from "../../source/languages.ts";
import { manualPage } from "../../source/special-places.ts";
import { isTest } from "../../source/test-path.ts";
import { formatLineFragment, type LineRange } from "../../protocol/citation.ts";
import { encodeName } from "../../protocol/passage.ts";
import type { ToolResult } from "./look.ts";

/** Consecutive lines of a file that tools showed. */
export interface Stretch {
  /** `resource:path`, as in markers. */
  target: string;
  resource: string;
  path: string;
  /** 1-based, like all line numbers in this folder. */
  startLine: number;
  endLine: number;
  lines: readonly string[];
  definitions: readonly Definition[];
  /** Whether it is prose; its definitions are then its sections. */
  isDocument: boolean;
  isTest: boolean;
}

/** Lines that a search or grep found. */
export interface Hit {
  stretch: Stretch;
  startLine: number;
  endLine: number;
  /** The name of the tool. */
  tool: string;
  /** The 0-based position in the list of results. */
  rank: number;
  /** The name that grep or `references` searched for. */
  pattern: string | undefined;
}

/** The hits of all searches, in order, each with all known lines around it. */
export function gatherHits(results: readonly ToolResult[]): Hit[] {
  const stretches = stretchesIn(results);
  return results.flatMap(({ tool, input, passages, uses: found }) => {
    if (tool !== "search" && tool !== "grep" && tool !== "references") return [];
    const isName = typeof input["pattern"] === "string" && input["regex"] !== true;
    const member =
      tool === "references"
        ? String(input["name"])
            .split(/[.#:]+/)
            .at(-1)
        : undefined;
    const pattern = member ?? (isName ? String(input["pattern"]) : undefined);
    return passages.flatMap(({ resource, path, startLine, lines }, rank) => {
      const endLine = startLine + lines.length - 1;
      const stretch = stretchWith(stretches, { resource, path }, { startLine, endLine });
      const isUsed = found.some(
        (use) =>
          use.isCode &&
          use.resource === resource &&
          use.path === path &&
          use.line >= startLine &&
          use.line <= endLine &&
          pattern !== undefined &&
          isUse(pattern, use.text),
      );
      const isMention = tool === "references" && !isDocument(path) && !isUsed;
      return stretch === undefined || lines.length === 0 || isMention
        ? []
        : [{ stretch, startLine, endLine, tool, rank, pattern }];
    });
  });
}

/** All lines that tools showed, with adjacent ones joined. */
export function stretchesIn(results: readonly Pick<ToolResult, "passages">[]): Stretch[] {
  const files = new Map<string, File & { known: Map<number, string> }>();
  for (const { resource, path, startLine, lines } of results.flatMap(({ passages }) => passages)) {
    const target = targetOf({ resource, path });
    const { known } = files.get(target) ?? { known: new Map<number, string>() };
    for (const [index, line] of lines.entries()) known.set(startLine + index, line);
    files.set(target, { resource, path, known });
  }
  return [...files.values()].flatMap(({ known, ...file }) => stretchesOf(file, known));
}

interface File {
  resource: string;
  path: string;
}

function targetOf({ resource, path }: File): string {
  return `${encodeName(resource)}:${encodeName(path)}`;
}

/** The lines of a range. */
export function linesIn(
  { startLine: first, lines }: Pick<Stretch, "startLine" | "lines">,
  { startLine, endLine }: LineRange,
): readonly string[] {
  return lines.slice(startLine - first, endLine - first + 1);
}

/** The stretch that has these lines of a file. */
export function stretchWith(
  stretches: readonly Stretch[],
  { resource, path }: File,
  { startLine, endLine }: LineRange,
): Stretch | undefined {
  return stretches.find(
    (one) => one.resource === resource && one.path === path && one.startLine <= startLine && one.endLine >= endLine,
  );
}

/** The innermost definition or section that a line is in. */
export function definitionAt({ definitions }: Pick<Stretch, "definitions">, line: number): Definition | undefined {
  return definitions.findLast((one) => one.startLine <= line && one.endLine >= line);
}

function stretchesOf({ resource, path }: File, known: ReadonlyMap<number, string>): Stretch[] {
  const numbers = [...known.keys()].sort((a, b) => a - b);
  const starts = numbers.filter((number) => !known.has(number - 1));
  return starts.map((startLine) => {
    const lines: string[] = [];
    for (let line = known.get(startLine); line !== undefined; line = known.get(startLine + lines.length))
      lines.push(line);
    const testsStart = path.endsWith(".rs") ? lines.findIndex((text) => rustTests.test(text)) : -1;
    const isAnswering = ({ startLine: first, line }: Definition) =>
      (testsStart === -1 || line <= testsStart) && !lines.slice(first - 1, line).some((text) => overload.test(text));
    const definitions = (startLine === 1 ? findDefinitions : findDefinitionsWithin)(path, lines)
      .filter(isAnswering)
      .map((definition) => withCommentAbove(definition, lines))
      .map((definition) => shift(definition, startLine - 1));
    return {
      target: targetOf({ resource, path }),
      resource,
      path,
      startLine,
      endLine: startLine + lines.length - 1,
      lines,
      definitions,
      isDocument: isDocument(path),
      isTest: isTest(path) || (testsStart !== -1 && definitions.length === 0),
    };
  });
}

/** The start of the tests in a Rust file, or of one of them. */
const rustTests = /^\s*#\[(?:\w+::)*(?:test\b|cfg\(test\)\])/;

/** A signature of Python without a body. */
const overload = /^\s*@(?:\w+\.)*overload\b/;

/** Includes a comment that a blank line separates from its definition. */
function withCommentAbove(definition: Definition, lines: readonly string[]): Definition {
  const { line, startLine } = definition;
  const end = line - 3;
  if (startLine < line || lines[line - 2]?.trim() !== "" || !/^\s*\*\/\s*$/.test(lines[end] ?? "")) return definition;
  const start = lines.findLastIndex((text, index) => index < end && /^\s*\/\*/.test(text));
  return start === -1 ? definition : { ...definition, startLine: start + 1 };
}

export function isDocument(path: string): boolean {
  // Manuals have a folder. At the root, `tool.1` may be anything.
  const isManual = path.includes("/") && manualPage.test(path);
  return isManual || /^(?:markdown|rst|asciidoc)$/.test(languageOf(path).tag);
}

/** Whether a line of code uses a name: not in a comment or a string, and not to export it only. */
export function isUse(name: string, line: string): boolean {
  return !isExport(name, line) && occurs(name, withoutComments(line));
}

/** Whether a line only exports a name. */
export function isExport(name: string, line: string): boolean {
  return /^\s*(?:(?:module\.)?exports\b.*=|export\b.*\{)/.test(line) && !line.includes(`${name}(`);
}

/** Whether a name occurs as a whole word. `\b` fails for names that begin or end with a sign such as `$`. */
export function occurs(name: string, line: string): boolean {
  const isPart = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}_$]/u.test(character);
  let index = line.indexOf(name);
  while (index !== -1 && (isPart(line[index - 1]) || isPart(line[index + name.length])))
    index = line.indexOf(name, index + 1);
  return index !== -1;
}

/** The marker that cites these lines. */
export function markerOf({ target }: Stretch, lines: LineRange): string {
  return `[[${target}#${formatLineFragment(lines)}]]`;
}

function shift({ name, line, startLine, endLine }: Definition, by: number): Definition {
  return { name, line: line + by, startLine: startLine + by, endLine: endLine + by };
}
