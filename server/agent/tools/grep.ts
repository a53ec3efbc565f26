import * as z from "zod";
import { showInvisibleInLine } from "../../protocol/invisible.ts";
import { collapseRepeats } from "../../protocol/repeats.ts";
import { countFiles, countLines, formatScope } from "../../protocol/search.ts";
import { type CountResult, type GrepHit, type GrepResult, hitsOf } from "../../retrieval/retrieval.ts";
import { formatMarker } from "../../protocol/passage.ts";
import { defineTool, type ToolServices } from "./define.ts";
import { chooseSnapshots } from "./locate.ts";
import { clamp, fitLines, namedFew, note, noteWhen, showPassages } from "./show.ts";

const limits = { min: 1, max: 200, usual: 40 };
/** The hits of each of several files without a limit: a file that repeats a text says little more. */
const hitsOfFile = 6;
const context = { min: 0, max: 20, usual: 0 };

const description = `Find every line that has an exact text, such as a name or a message; with regex, that matches a JavaScript expression.`;

const inputSchema = z.object({
  pattern: z.string().min(1).max(1000).describe("E.g. `parseUrl(`."),
  regex: z.boolean().optional(),
  ignoreCase: z.boolean().optional(),
  wholeWord: z.boolean().optional(),
  resource: z.string().optional().describe("Its name. Default: all."),
  glob: z.string().min(1).optional().describe("Only these paths, e.g. `**/*.ts`."),
  contextLines: z
    .int()
    .optional()
    .describe(`Before and after, 0 to 20; \`>\` then marks the matches. Default: ${context.usual}.`),
  count: z.boolean().optional().describe("Only how many lines of each file match."),
  limit: z.int().optional().describe(`Lines, or files, 1 to 200. Default: ${limits.usual}.`),
});

export function grepTool({ snapshots, retrieval, ledger, noteSkipped }: ToolServices) {
  return defineTool({
    name: "grep",
    description,
    inputSchema,
    async run({ pattern, resource, glob, ...options }, { signal }) {
      const chosen = chooseSnapshots(snapshots, resource);
      const { regex = false, ignoreCase = false, wholeWord = false, count = false } = options;
      const { value: contextLines, notes: onContext } = clamp("contextLines", options.contextLines, context);
      const { value: limit, notes: onLimit } = clamp("limit", options.limit, limits);
      const query = { pattern, isRegex: regex, ignoreCase, wholeWord, glob, limit, signal };
      const { found, blocks, notes, passages } = count
        ? showCounts(await retrieval.count(chosen, query))
        : await showHits(await retrieval.grep(chosen, { ...query, contextLines }));
      const { total, filesWithHits, searchedFiles, cut, skipped } = found;
      const allNotes = [
        ...onContext,
        ...onLimit,
        ...noteWhen(total === 0, `no match in ${countFiles(searchedFiles)}; ${advice({ regex, ignoreCase, glob })}`),
        ...noteWhen(cut.length > 0, `${namedFew(cut)}; narrow it with a glob or a longer pattern`),
        ...notes,
        ...noteSkipped(skipped, { isEmpty: total === 0 }),
      ];
      const text = [...blocks, ...allNotes].join("\n\n");
      const reasons = skipped.map(({ reason }) => reason).filter((reason) => reason !== "binary");
      const unsearched = total > 0 ? [] : [...new Set([...reasons, ...cut])];
      return { text, data: { passages, unsearched }, metadata: { matches: total, files: filesWithHits } };

      async function showHits(found: GrepResult) {
        const all = hitsOf(found.files, { contextLines });
        const isFew = options.limit === undefined;
        const { kept, repeated } = isFew ? withoutRepeats(all) : { kept: all, repeated: [] };
        const { hits, repeating } =
          isFew && found.files.length > 1 ? withFewOfEach(kept) : { hits: kept, repeating: [] };
        const scoped = await retrieval.withScopes(chosen, hits, { signal });
        const captioned = scoped.map(({ scope, matchLines, ...hit }) => ({
          ...hit,
          ...(scope.length === 0 ? {} : { caption: `in ${formatScope(scope)}:` }),
          ...(contextLines === 0 ? {} : { matchLines }),
        }));
        const shown = await showPassages(chosen, captioned, { isJoined: true, ledger, signal });
        const { total, filesWithHits, cut } = found;
        const onRest = [
          ...noteWhen(total > 1 && cut.length === 0, `${countLines(total)} in ${countFiles(filesWithHits)}`),
          ...repeated.map((words) => note(`${words}; give a limit to see them`)),
          ...noteWhen(repeating.length > 0, `more in ${namedFew(repeating, 10)}; give a limit to see them`),
        ];
        return { ...shown, found, notes: [...shown.notes, ...onRest] };
      }
    },
  });
}

function withoutRepeats(hits: readonly GrepHit[]) {
  return collapseRepeats(hits, {
    textOf: ({ lines }) => lines.join("\n"),
    placeOf: ({ resource, path, matchLines: [line = 1] }) =>
      formatMarker({ resource, path, startLine: line, endLine: line }),
  });
}

/** The first hits of each file, and the files that have more. */
function withFewOfEach(all: readonly GrepHit[]): { hits: GrepHit[]; repeating: string[] } {
  const counts = new Map<string, number>();
  const hits = all.filter(({ resource, path }) => {
    const file = `${resource}:${path}`;
    const count = (counts.get(file) ?? 0) + 1;
    counts.set(file, count);
    return count <= hitsOfFile;
  });
  const repeating = [...counts].filter(([, count]) => count > hitsOfFile).map(([file]) => file);
  return { hits, repeating };
}

function showCounts(found: CountResult) {
  const { files, total, filesWithHits } = found;
  const lines = files.map(({ count, ...file }) => `${file.resource}:${file.path}: ${countLines(count)}`);
  const fitting = fitLines(lines.map(showInvisibleInLine));
  return {
    found,
    blocks: total === 0 ? [] : [fitting.join("\n"), note(`${countLines(total)} in ${countFiles(filesWithHits)}`)],
    passages: [],
    notes: noteWhen(fitting.length < files.length, `no room for ${countFiles(files.length - fitting.length)}`),
  };
}

function advice({
  regex,
  ignoreCase,
  glob,
}: {
  regex: boolean;
  ignoreCase: boolean;
  glob: string | undefined;
}): string {
  const ways = [
    ...(ignoreCase ? [] : ["with ignoreCase"]),
    ...(glob === undefined ? [] : ["without the glob"]),
    ...(regex ? ["as a literal text"] : []),
    "with a shorter pattern",
  ];
  return `try ${ways.join(", ")}, or use search`;
}
