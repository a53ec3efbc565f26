import { decodeSource } from "../../source/source-text.ts";
import { clipLine, linesAround } from "../shown-lines.ts";
import type { PartRange } from "../text-parts.ts";
import type { TextResult } from "../text-store.ts";
import type { RunWithin } from "../time-limit.ts";
import { createByteSearch } from "./byte-search.ts";
import { compilePattern, type LinePattern, type PatternOptions } from "./pattern.ts";
import { createTextBuffer } from "./text-buffer.ts";

export interface TextQuery extends PatternOptions {
  contextLines: number;
}

/** The matches of a text, or why it was not searched. */
export type TextOutcome = ({ type: "searched" } & TextMatches) | { type: "skipped"; reason: string };

export interface TextMatches {
  /** Matching lines. */
  count: number;
  /** The first of them, 1-based. */
  matchLines: number[];
  /** UTF-8: the matching lines with their context, each once, in order, each ended by `\n`. */
  text: Buffer;
}

/** A text as a string or as bytes (never of a binary file), or why there is none. */
export type SearchedText = TextResult | { bytes: Buffer; ranges?: readonly PartRange[] | undefined };

export interface StretchOptions {
  /** How many matching lines are returned. */
  limit: number;
  /** Counting stops after this many. */
  enough: number;
  /** The time for all texts; one text may take `textMs`. */
  stretchMs: number;
  textMs: number;
}

export interface TextSearch {
  pattern: LinePattern;
  /** Searches one text after the other until the time slice is over, at least one; returns the results so far. */
  stretch(texts: readonly SearchedText[], options: StretchOptions): TextOutcome[];
}

/** Searches texts; one that an expression takes too long in is given up. @throws InvalidRequest */
export function createTextSearch(
  { contextLines, ...options }: TextQuery,
  { runWithin }: { runWithin: RunWithin },
): TextSearch {
  const pattern = compilePattern(options);
  const room = createTextBuffer();
  const searchBytes = createByteSearch(pattern, { contextLines });
  return {
    pattern,
    stretch(texts, { limit, enough, stretchMs, textMs }) {
      const outcomes: TextOutcome[] = [];
      let current = 0;
      const searchAll = () => {
        const startedAt = performance.now();
        // Called again, it goes on with the text that it was stopped in.
        let found = countIn(outcomes);
        for (const text of texts.slice(outcomes.length)) {
          current = outcomes.length;
          const outcome = searchOne(text, Math.max(0, limit - found));
          outcomes.push(outcome);
          if (outcome.type === "searched") found += outcome.count;
          if (found >= enough || performance.now() - startedAt > stretchMs) return;
        }
      };
      if (pattern.isLinear) searchAll();
      else if (!runWithin(searchAll, { timeoutMs: stretchMs + textMs }) && current === outcomes.length) {
        outcomes.push({ type: "skipped", reason: "the pattern takes too long in it; a simpler one may not" });
      }
      return outcomes;
    },
  };

  function searchOne(searched: SearchedText, limit: number): TextOutcome {
    if ("bytes" in searched) {
      const { bytes, ranges } = searched;
      const matches = searchBytes?.(bytes, { limit, ranges }) ?? searchText(decodeSource("", bytes)?.text ?? "", limit);
      return { type: "searched", ...matches };
    }
    const { text, fault } = searched;
    return fault === undefined ? { type: "searched", ...searchText(text, limit) } : { type: "skipped", reason: fault };
  }

  function searchText(text: string, limit: number): TextMatches {
    const plain = withPlainLineEnds(text);
    const { count, numbers, ...lines } = pattern.matchLines(plain, { limit });
    const { starts, ends } = linesAround(plain, lines, contextLines);
    room.begin();
    for (const [index, start] of starts.entries())
      room.addLine(clipLine(plain.slice(start, ends[index]), pattern.indexIn));
    return { count, matchLines: numbers, text: room.take() };
  }
}

function countIn(outcomes: readonly TextOutcome[]): number {
  return outcomes.reduce((sum, outcome) => sum + (outcome.type === "searched" ? outcome.count : 0), 0);
}

/** Replaces `\r\n`, unless another `\r` remains: then the lines would differ. */
function withPlainLineEnds(text: string): string {
  if (!text.includes("\r")) return text;
  const plain = text.replaceAll("\r\n", "\n");
  return plain.includes("\r") ? text : plain;
}
