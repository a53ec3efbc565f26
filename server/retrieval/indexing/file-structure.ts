import { type Definition, findDefinitions } from "../../source/definitions.ts";
import { importTest } from "../../source/grammars.ts";
import { splitLines } from "../../source/source-text.ts";
import type { NamedPlace } from "../index/segment-symbols.ts";
import { cutChunks } from "./chunks.ts";

/** The definitions of a text, and its chunks, the units that are scored. */
export interface FileStructure {
  chunks: readonly TextChunk[];
  symbols: readonly Omit<NamedPlace, "file">[];
}

export interface TextChunk {
  /** 1-based. */
  startLine: number;
  /** Starts and ends of its parts without imports, in UTF-16 units; no word goes on in the next one. */
  ranges: readonly number[];
  /** That are defined there. */
  names: readonly string[];
}

/** Of data and minified code, which exact search alone finds. */
export const noStructure: FileStructure = { chunks: [], symbols: [] };

export function structureOf(path: string, text: string): FileStructure {
  const lines = splitLines(text);
  const definitions = findDefinitions(path, lines);
  const starts = lineStarts(text);
  const isSkipped = importTest(path);
  let named = 0;
  const chunks = cutChunks(lines, definitions).map(({ startLine, endLine }): TextChunk => {
    const ranges: number[] = [];
    for (let line = startLine; line <= endLine; line++) {
      if (isSkipped(lines[line - 1] ?? "")) continue;
      const start = starts[line - 1] ?? 0;
      const end = starts[line] ?? text.length;
      // No word goes on in the next line.
      if (ranges.at(-1) === start) ranges[ranges.length - 1] = end;
      else ranges.push(start, end);
    }
    const names: string[] = [];
    for (; (definitions[named]?.line ?? Infinity) <= endLine; named++) names.push(definitions[named]?.name ?? "");
    return { startLine, ranges, names };
  });
  return { chunks, symbols: definitions.map(toSymbol) };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", end + 1)) starts.push(end + 1);
  return starts;
}

function toSymbol({ name, startLine, endLine }: Definition): FileStructure["symbols"][number] {
  return { name: memberOf(name), startLine, endLine };
}

/** `Table::read` is looked for as `read`; its other words are found in the text. */
function memberOf(name: string): string {
  return /^[\w:~]+::([\w~]+)$/.exec(name)?.[1] ?? name;
}
