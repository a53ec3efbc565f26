import * as z from "zod";
import { showInvisibleInLine } from "../../protocol/invisible.ts";
import { countFiles, countLines, formatScope } from "../../protocol/search.ts";
import { type CountResult, type GrepResult, hitsOf } from "../../retrieval/retrieval.ts";
import { defineTool, type ToolContext } from "./define.ts";
import { chooseSnapshots } from "./locate.ts";
import { clamp, fitLines, namedFew, note, noteSkipped, noteWhen, showPassages } from "./show.ts";

const limits = { min: 1, max: 200, usual: 40 };
const context = { min: 0, max: 20, usual: 0 };

const description = `Find every line that has an exact text or matches a regular expression, with the lines around it: a name, a message, an option. With count, which files have most. For a topic use search.
The pattern is literal unless regex is true; then it is a JavaScript expression for single lines.`;

export function grepTool({ snapshots, retrieval, ledger }: ToolContext) {
  return defineTool({
    description,
    inputSchema: z.object({
      pattern: z.string().min(1).max(1000).describe("The text or the expression, e.g. `parseUrl(`."),
      regex: z.boolean().optional().describe("Default: false."),
      ignoreCase: z.boolean().optional().describe("Default: false."),
      wholeWord: z.boolean().optional().describe("No letter, digit or _ before and after it. Default: false."),
      resource: z.string().optional().describe("Name of one resource. Default: all of them."),
      glob: z.string().min(1).optional().describe("Only files whose path matches, e.g. `**/*.ts`."),
      contextLines: z.int().optional().describe(`Lines before and after, 0 to 20. Default: ${context.usual}.`),
      count: z.boolean().optional().describe("Only how many lines match in each file. Default: false."),
      limit: z.int().optional().describe(`How many matching lines, or files, 1 to 200. Default: ${limits.usual}.`),
    }),
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
        ...noteWhen(total === 0, `no match in ${searchedFiles} files; ${advice({ regex, ignoreCase, glob })}`),
        ...noteWhen(cut.length > 0, `${namedFew(cut)}; narrow it with a glob or a longer pattern`),
        ...notes,
        ...noteSkipped(skipped),
      ];
      const text = [...blocks, ...allNotes].join("\n\n");
      return { text, data: { passages }, metadata: { matches: total, files: filesWithHits } };

      async function showHits(found: GrepResult) {
        const hits = hitsOf(found.files, { contextLines });
        const scoped = await retrieval.withScopes(chosen, hits, { signal });
        const captioned = scoped.map(({ scope, ...hit }) => {
          return scope.length === 0 ? hit : { ...hit, caption: `in ${formatScope(scope)}:` };
        });
        return { found, ...(await showPassages(chosen, captioned, { isJoined: true, ledger, signal })) };
      }
    },
  });
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
