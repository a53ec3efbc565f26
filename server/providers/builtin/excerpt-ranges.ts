import type { LineRange } from "../../protocol/citation.ts";
import { type Context, heightOf } from "./excerpt-context.ts";
import { linesWith } from "./line-words.ts";

/** The ranges of a hit that may be shown, without duplicates. */
export function rangesIn(context: Context, hit: LineRange, blocks: readonly LineRange[]): LineRange[] {
  return distinct([...wholesIn(context, hit), ...runsOf(blocks, context), ...windowsIn(context, hit)]);
}

function wholesIn({ stretch, limits }: Context, hit: LineRange): LineRange[] {
  return stretch.definitions
    .filter(({ line, startLine, endLine }) => {
      return line <= hit.endLine && endLine >= hit.startLine && endLine - startLine < limits.whole;
    })
    .map(({ startLine, endLine }) => ({ startLine, endLine }));
}

/** Runs of consecutive blocks that fit into a window. */
function runsOf(blocks: readonly LineRange[], { stretch, limits }: Context): LineRange[] {
  return blocks.flatMap((block, first) => {
    const runs: LineRange[] = [{ ...block }];
    for (const { endLine } of blocks.slice(first + 1)) {
      const run = { startLine: block.startLine, endLine };
      if (heightOf([run], stretch) > limits.window) break;
      runs.push(run);
    }
    return runs;
  });
}

/** A window around each line with a word of the question, for code without blank lines. */
function windowsIn(context: Context, hit: LineRange): LineRange[] {
  const { stretch, limits } = context;
  if (stretch.isDocument) return [];
  const lines = context.question.words.flatMap((word) => linesWith(word, hit, context.words));
  return lines.map((line) => ({
    startLine: Math.max(stretch.startLine, line - limits.window / 2 + 1),
    endLine: Math.min(stretch.endLine, line + limits.window / 2),
  }));
}

function distinct(ranges: readonly LineRange[]): LineRange[] {
  return [...new Map(ranges.map((range) => [`${range.startLine}-${range.endLine}`, range])).values()];
}
