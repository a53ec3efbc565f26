import { rangeIn, preferenceOf, type SpecialPlace } from "../../source/special-places.ts";
import { type Call, isResultOf, type ToolResult } from "./look.ts";
import { stretchesIn } from "./evidence.ts";
import { isTest } from "../../source/test-path.ts";
import type { Extract } from "./extracts.ts";

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
    if (own === undefined || preference === undefined || isTest(stretch.path)) return [];
    return [{ stretch, range: own.range, order: 10 * (own.rank + preference) + stretch.path.split("/").length }];
  });
  const best = found.toSorted((a, b) => a.order - b.order).slice(0, 1);
  return best.map(({ stretch, range }) => ({
    stretch,
    pieces: [range],
    reason: `${place.reason}, in \`${stretch.path}\``,
    role: { type: "definition", name: place.reason, fit: 1 },
    coverage: 1,
    found: [],
  }));
}
