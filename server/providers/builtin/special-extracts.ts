import { rangeIn, preferenceOf, type SpecialPlace } from "../../source/special-places.ts";
import { type Call, isResultOf, type ToolResult } from "./look.ts";
import { type Stretch, stretchesIn } from "./evidence.ts";
import { isTest } from "../../source/test-path.ts";
import type { Extract } from "./extracts.ts";
import {
  createValueReader,
  settingFiles,
  type StatedValue,
  valuePattern,
  type ValueQuestion,
} from "../../source/stated-value.ts";

export function findSpecial(place: SpecialPlace | undefined): Call[] {
  if (place === undefined) return [];
  const { pattern, files, height: contextLines } = place;
  const names = files.length === 1 ? files[0] : `{${files.join(",")}}`;
  const glob = files.length === 0 ? {} : { glob: `**/${names}` };
  return [{ tool: "grep", input: { pattern, regex: true, ignoreCase: files.length > 0, contextLines, ...glob } }];
}

/** The lines of the place in the file that fits best and is nearest to the root. */
export function specialExtracts(
  place: SpecialPlace | undefined,
  results: readonly ToolResult[],
): Omit<Extract, "score">[] {
  const [call] = findSpecial(place);
  if (place === undefined || call === undefined) return [];
  const found = stretchesIn(results.filter((result) => isResultOf(call, result))).flatMap((stretch) => {
    const [own, preference] = [rangeIn(place, stretch), preferenceOf(place, stretch.path)];
    const isCopy = isTest(stretch.path) && !stretch.path.startsWith(".github/");
    if (own === undefined || preference === undefined || isCopy) return [];
    return [{ stretch, range: own.range, order: 10 * (own.rank + preference) + stretch.path.split("/").length }];
  });
  const best = found.toSorted((a, b) => a.order - b.order || a.stretch.path.length - b.stretch.path.length).slice(0, 1);
  return best.map(({ stretch, range }) => ({
    stretch,
    pieces: [range],
    reason: `${place.reason}, in \`${stretch.path}\``,
    role: { type: "definition", name: place.reason, fit: 1 },
    coverage: 1,
    found: [],
  }));
}

/** One call is for files of settings alone, because one call may not show all matches. */
export function findValue(asked: ValueQuestion | undefined): Call[] {
  if (asked === undefined) return [];
  const input = {
    pattern: valuePattern(asked),
    regex: true,
    ignoreCase: true,
    contextLines: linesAround,
    limit: linesFound,
  };
  return [
    { tool: "grep", input: { ...input, glob: settingFiles } },
    { tool: "grep", input },
  ];
}

const linesAround = 9;
const linesFound = 200;
/** Chosen by hand on the tuning half of `bench/newcomer.ts`: less certain lines were mostly other values. */
const leastWorth = 1.4;
const leastOfOneWord = 1.2;

/** The line that states the value with most certainty, and the comment above it. */
export function valueExtracts(
  asked: ValueQuestion | undefined,
  results: readonly ToolResult[],
): Omit<Extract, "score">[] {
  if (asked === undefined) return [];
  const calls = findValue(asked);
  const readValue = createValueReader(asked);
  const least = asked.stems.length === 1 ? leastOfOneWord : leastWorth;
  let best: { stretch: Stretch; line: number; stated: StatedValue } | undefined;
  for (const stretch of stretchesIn(results.filter((one) => calls.some((call) => isResultOf(call, one))))) {
    if (stretch.isDocument) continue;
    for (const index of stretch.lines.keys()) {
      const stated = readValue(stretch, index);
      if (stated === undefined || stated.worth < least) continue;
      if (best === undefined || stated.worth > best.stated.worth)
        best = { stretch, line: stretch.startLine + index, stated };
    }
  }
  if (best === undefined) return [];
  const { stretch, line, stated } = best;
  const reason = `sets \`${stated.name}\``;
  return [
    {
      stretch,
      pieces: [{ startLine: commentStart(stretch, line), endLine: line + stated.height - 1 }],
      reason,
      role: { type: "mention" },
      coverage: 1,
      found: [],
    },
  ];
}

function commentStart({ lines, startLine }: Stretch, line: number): number {
  let first = line;
  while (/^\s*(?:\/\/|\/?\*|#(?!\s?(?:define|if)))/.test(lines[first - 1 - startLine] ?? "")) first--;
  return first;
}
