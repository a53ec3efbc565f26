import { describeShown } from "../../protocol/search.ts";
import { wordsIn } from "../../source/words.ts";
import type { Snapshot } from "../../resources/snapshot.ts";
import { nearestFiles } from "../glob.ts";
import type {
  CountOptions,
  CountResult,
  FileCount,
  FileReference,
  GrepOptions,
  GrepResult,
  LineQuery,
  MatchesInFile,
} from "../retrieval.ts";
import { findInSnapshots, type SearchResources } from "./find-in-snapshots.ts";
import { pageOf } from "./hits.ts";

/** How many matching lines are counted beyond those shown; a larger count says nothing more. */
const countedLimit = 1000;

/** Lines that match a literal or a regular expression, in the files that a filter accepts. */
export async function grepSnapshots(
  snapshots: readonly Snapshot[],
  { offset = 0, limit, ...options }: GrepOptions & SearchResources,
): Promise<GrepResult> {
  const { contextLines } = options;
  const last = offset + limit;
  const files: MatchesInFile[] = [];
  let total = 0;
  let shown = 0;
  let filesWithHits = 0;
  const wanted = () => ({ limit: last - total, enough: last + countedLimit - total });
  const searched = await findInSnapshots(snapshots, options, {
    wanted,
    take(file, matches) {
      const { matchLines, text } = pageOf(matches, { contextLines, first: offset - total, last: last - total });
      if (matchLines.length > 0) files.push({ resource: file.resource, path: file.path, matchLines, text });
      shown += matchLines.length;
      filesWithHits += Math.min(1, matches.count);
      total += matches.count;
    },
  });
  const cut =
    wanted().enough <= 0
      ? [describeShown(shown, `more than ${last + countedLimit} matching lines`)]
      : shown < total
        ? [describeShown(shown, `${total} matching lines`)]
        : [];
  return { ...searched, files, total, filesWithHits, cut: [...cut, ...searched.cut] };
}

/** How many lines match in each file that a filter accepts. */
export async function countInSnapshots(
  snapshots: readonly Snapshot[],
  { offset = 0, limit, ...options }: CountOptions & SearchResources,
): Promise<CountResult> {
  const counts: FileCount[] = [];
  let total = 0;
  const searched = await findInSnapshots(
    snapshots,
    { ...options, contextLines: 0 },
    {
      wanted: () => ({ limit: 0, enough: Infinity }),
      take(file, { count }) {
        if (count > 0) counts.push({ resource: file.resource, path: file.path, count });
        total += count;
      },
    },
  );
  const files = counts.sort((a, b) => b.count - a.count).slice(offset, offset + limit);
  const cut = files.length < counts.length ? [describeShown(files.length, `${counts.length} files`)] : [];
  return { ...searched, files, total, filesWithHits: counts.length, cut: [...cut, ...searched.cut] };
}

/** Files whose names come close to the words of a pattern that matches nothing: as much work as the search itself. */
export function nearestToPattern(
  snapshots: readonly Snapshot[],
  query: Pick<LineQuery, "pattern" | "isRegex">,
): FileReference[] {
  return nearestFiles(snapshots, wordsOfPattern(query));
}

/** The words of a pattern without its escapes; each is compared with all names of the tree. */
function wordsOfPattern({ pattern, isRegex }: Pick<LineQuery, "pattern" | "isRegex">): string[] {
  const text = isRegex ? pattern.replaceAll(/\\./g, " ") : pattern;
  return wordsIn(text)
    .filter(({ length }) => length >= 3)
    .slice(0, wordLimit);
}

const wordLimit = 12;
