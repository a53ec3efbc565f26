import { type Definition, findDefinitions } from "../../lib/definitions.ts";
import { languageOf } from "../../lib/languages.ts";
import { decodePath } from "../../protocol/passage.ts";
import type { ToolResult } from "./conversation.ts";

/** Lines of a file that tools showed without a gap. */
export interface Stretch {
  /** `resource:path`, as it stands in markers. */
  target: string;
  resource: string;
  path: string;
  /** 1-based, as all lines of files here. */
  startLine: number;
  endLine: number;
  lines: readonly string[];
  definitions: readonly Definition[];
  /** Prose, whose definitions are sections. */
  isDocument: boolean;
}

/** Lines that a search or grep found. */
export interface Hit {
  stretch: Stretch;
  startLine: number;
  endLine: number;
  tool: string;
  /** How far down the list, from 0. */
  rank: number;
}

/** What the tools found, in the order of their results, each with all that is known around it. */
export function gatherHits(results: readonly ToolResult[]): Hit[] {
  const stretches = joinLines(results);
  return results.flatMap(({ tool, passages }) => {
    if (tool === "read") return [];
    return passages.flatMap(({ target, startLine, lines }, rank) => {
      const endLine = startLine + lines.length - 1;
      const stretch = stretches.find(
        (one) => one.target === target && one.startLine <= startLine && one.endLine >= endLine,
      );
      return stretch === undefined || lines.length === 0 ? [] : [{ stretch, startLine, endLine, tool, rank }];
    });
  });
}

function joinLines(results: readonly ToolResult[]): Stretch[] {
  const files = new Map<string, Map<number, string>>();
  for (const { target, startLine, lines } of results.flatMap(({ passages }) => passages)) {
    const known = files.get(target) ?? new Map<number, string>();
    for (const [index, line] of lines.entries()) known.set(startLine + index, line);
    files.set(target, known);
  }
  return [...files].flatMap(([target, known]) => stretchesOf(target, known));
}

function stretchesOf(target: string, known: ReadonlyMap<number, string>): Stretch[] {
  const numbers = [...known.keys()].sort((a, b) => a - b);
  const starts = numbers.filter((number) => !known.has(number - 1));
  return starts.map((startLine) => {
    const lines: string[] = [];
    for (let line = known.get(startLine); line !== undefined; line = known.get(startLine + lines.length))
      lines.push(line);
    const { resource, path } = splitTarget(target);
    const definitions = findDefinitions(path, lines).map((definition) => shift(definition, startLine - 1));
    return {
      target,
      resource,
      path,
      startLine,
      endLine: startLine + lines.length - 1,
      lines,
      definitions,
      isDocument: isDocument(path),
    };
  });
}

function isDocument(path: string): boolean {
  return /^(?:markdown|rst|asciidoc)$/.test(languageOf(path).tag);
}

/** A path hardly ever holds a colon; names of resources do (URLs, `npm:zod`). */
function splitTarget(target: string): { resource: string; path: string } {
  const colon = target.lastIndexOf(":");
  return { resource: decodePath(target.slice(0, Math.max(0, colon))), path: decodePath(target.slice(colon + 1)) };
}

function shift({ name, line, startLine, endLine }: Definition, by: number): Definition {
  return { name, line: line + by, startLine: startLine + by, endLine: endLine + by };
}
