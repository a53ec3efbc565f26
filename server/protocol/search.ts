import * as z from "zod";
import { showInvisibleInLine } from "./invisible.ts";
import { limits, textUpTo } from "./resource-fields.ts";
import { resourceRefs, Scope, Unavailable } from "./resource.ts";

export const FileKind = z.enum(["code", "docs", "test", "config", "other"]);
export type FileKind = z.infer<typeof FileKind>;

export const SearchMode = z.enum(["ranked", "exact", "regex", "definition", "references"]);

/** In an exact or regex search, `limit` and `offset` count matching lines; adjacent ones form one result. */
export const SearchRequest = z
  .object({
    query: textUpTo(limits.questionLength, `a query has at most ${limits.questionLength} characters`)
      .min(1, "a query must not be empty")
      .describe("Words and names, or the text or the expression to find in a line."),
    resources: resourceRefs("search").optional(),
    scope: Scope.optional(),
    limit: z.int().min(1).max(100).default(20).describe("The number of passages."),
    passageLines: z
      .int()
      .min(1)
      .max(200)
      .optional()
      .describe("Of ranked searches: a longer passage is narrowed to the lines that fit the query best."),
    mode: SearchMode.default("ranked").describe(
      "`ranked`: by relevance to the words; `exact`: lines with this text; `regex`: lines that match this expression; " +
        "`definition`: the definitions of a name, whole; `references`: where a name is used, calls first. Both go by text.",
    ),
    offset: z.int().min(0).max(10_000).optional().describe("How many results to leave out first: the next page."),
    kinds: z.array(FileKind).optional().describe("Only files of these kinds."),
    glob: z
      .string()
      .min(1)
      .max(1000)
      .optional()
      .describe("Only files whose path matches, e.g. `src/**/*.ts`, or one of several: `*.ts,*.js`."),
    ignoreCase: z.boolean().optional().describe("Exact and regex only."),
    wholeWord: z
      .boolean()
      .optional()
      .describe("Exact and regex only: no letter, digit or _ before and after the match."),
    contextLines: z.int().min(0).max(20).optional().describe("Exact and regex only: lines before and after."),
    counts: z
      .boolean()
      .optional()
      .describe(
        "Exact and regex only: in place of lines, tell how many of each file match, the most first; `limit` and `offset` are of files.",
      ),
    uses: z
      .int()
      .min(1)
      .max(100)
      .optional()
      .describe("Beside the definitions of a name: list so many of the places that use it. Default: none."),
  })
  .meta({ id: "SearchRequest" });
export type SearchRequest = z.infer<typeof SearchRequest>;

const SearchHit = z.object({
  resource: z.string(),
  path: z.string(),
  startLine: z.int().min(1),
  endLine: z.int().min(1),
  score: z.number().describe("Comparable within one result only."),
  kind: FileKind,
  reason: z.string().optional().describe("Why it was found, such as `defines \\`parse\\`` or `calls`."),
  scope: z
    .string()
    .optional()
    .describe("The definitions around the lines, the outermost first: `Retry (lines 10-240) › next (lines 50-190)`."),
  also: z
    .string()
    .optional()
    .describe("Definitions that repeat it and are not shown: `overloads at 10-12; the same in lib/a.js:3-9`."),
  continuesTo: z
    .int()
    .min(1)
    .optional()
    .describe("The last line of the definition, if it continues below these lines."),
  preview: z
    .string()
    .describe("The lines; secrets are masked, and characters that cannot be seen are shown by their number."),
  revision: z.string(),
  url: z.string().optional().describe("A permanent link to the lines, if the host has one."),
  pathOnDisk: z.string().optional().describe("The absolute path of a file in a folder or an installed package."),
  matchLines: z
    .array(z.int().min(1))
    .optional()
    .describe("For exact and regex searches: the numbers of the matching lines."),
  isLookedUp: z.boolean().optional().describe("Whether it has the definition of a name that is the whole query."),
});
export type SearchHit = z.infer<typeof SearchHit>;

/** `Retry (lines 10-240) › next (lines 50-190)`: what surrounds lines, and how far it goes. */
export function formatScope(scope: readonly { name: string; startLine: number; endLine: number }[]): string {
  return scope.map(({ name, startLine, endLine }) => `${name} (lines ${startLine}-${endLine})`).join(" › ");
}

/** Where a name is used, without the lines. */
export const NameUses = z.object({
  name: z.string(),
  total: z.int().min(0).describe("Lines that use it, listed or not."),
  places: z.array(
    z.object({
      resource: z.string(),
      path: z.string(),
      line: z.int().min(1),
      use: z.enum(["calls", "uses", "imports"]),
      scope: z.string().optional().describe("The definitions around it, the outermost first: `Retry › next`."),
    }),
  ),
});
export type NameUses = z.infer<typeof NameUses>;

const FileCount = z.object({ resource: z.string(), path: z.string(), matches: z.int().min(1) });
export type FileCount = z.infer<typeof FileCount>;

/** Best first: what the agent's `search` tool sees. */
export const SearchReply = z
  .object({
    results: z.array(SearchHit),
    counts: z.array(FileCount).optional().describe("In place of results, where `counts` were asked for."),
    matches: z.int().min(0).optional().describe("Exact and regex only: matching lines, shown or not."),
    matchingFiles: z.int().min(0).optional().describe("With `counts`: files that match, shown or not."),
    uses: NameUses.optional().describe("Of the name whose definitions are the results; calls first, tests last."),
    hasMore: z.literal(true).optional().describe("Whether results follow these: `offset` gives the next page."),
    cut: z.array(z.string()).optional().describe("What is not shown, in words; absent if nothing is."),
    searchedFiles: z.int().min(0).describe("The number of files searched, of those that the glob and kinds accept."),
    nearest: z
      .array(z.object({ resource: z.string(), path: z.string() }))
      .optional()
      .describe("If nothing was found: files with names similar to the query."),
    skipped: z
      .array(z.object({ resource: z.string(), path: z.string(), reason: z.string() }))
      .describe("Files that were not searched, and why; at most the first 1000."),
    skippedFiles: z
      .int()
      .min(1)
      .optional()
      .describe("The number of files not searched, if `skipped` does not list all."),
    unavailable: z
      .array(Unavailable)
      .optional()
      .describe("Resources that did not open in time, or not at all, so were not searched."),
    pendingFiles: z
      .int()
      .min(1)
      .optional()
      .describe("The number of files still being indexed; a ranked search a moment later includes them."),
  })
  .meta({ id: "SearchReply" });
export type SearchReply = z.infer<typeof SearchReply>;

/** Whether a search has nothing to show. */
export function isEmptyReply({ results, counts = [] }: SearchReply): boolean {
  return results.length === 0 && counts.length === 0;
}

/**
 * How many files a search has not looked into, and why; where it found nothing also which, a few of them as `nameOf` writes
 * them. Undefined where it looked into all.
 */
export function describeSkipped(
  reply: SearchReply,
  nameOf: (file: { resource: string; path: string }) => string,
): string | undefined {
  const { skipped, skippedFiles = skipped.length } = reply;
  if (skippedFiles === 0) return undefined;
  if (!isEmptyReply(reply)) {
    const files = skipped.filter(({ reason }) => !folderReasons.includes(reason));
    const count = skippedFiles - (skipped.length - files.length);
    const reasons = [...new Set(files.map(({ reason }) => showInvisibleInLine(reason)))];
    const why = reasons.length === 0 ? "" : ` (${reasons.slice(0, reasonsNamed).join("; ")})`;
    const hasPackages = skipped.some(({ reason }) => packageReasons.includes(reason));
    const left = [
      ...(count === 0 ? [] : [`${countFiles(count)}${why}`]),
      ...(hasPackages ? ["installed packages"] : []),
    ];
    return left.length === 0
      ? undefined
      : `${left.join(" and ")} ${left.length === 1 && count === 1 ? "was" : "were"} not searched`;
  }
  const named = skipped
    .slice(0, skippedNamed)
    .map(({ reason, ...file }) => `${nameOf(file)} (${showInvisibleInLine(reason)})`);
  const more = skippedFiles - named.length;
  return `not searched: ${named.join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
}

/** Why a folder of this name is never searched, as `skipped` reports it. */
export const leftOutFolders = {
  ".citewell": "Citewell's own data",
  node_modules: "installed packages: add those you want to ask about as npm resources",
  "site-packages": "installed packages: add those you want to ask about as pypi resources",
} as const;

const folderReasons: readonly string[] = Object.values(leftOutFolders);
const packageReasons: readonly string[] = [leftOutFolders.node_modules, leftOutFolders["site-packages"]];

const skippedNamed = 3;
const reasonsNamed = 3;

/** `1 file`, `12 files`. */
export function countFiles(count: number): string {
  return count === 1 ? "1 file" : `${count} files`;
}

/** `1 line`, `12 lines`. */
export function countLines(count: number): string {
  return count === 1 ? "1 line" : `${count} lines`;
}

/** `1 of 12 places is shown`. */
export function describeShown(shown: number, of: string): string {
  return `${shown} of ${of} ${shown === 1 ? "is" : "are"} shown`;
}

/** `1 file is still being indexed; search again in a moment`. */
export function describePending(files: number): string {
  return `${countFiles(files)} ${files === 1 ? "is" : "are"} still being indexed; search again in a moment`;
}

/** How many matching lines the results of an exact search show. */
export function countMatchLines(results: readonly Pick<SearchHit, "matchLines">[]): number {
  return results.reduce((sum, { matchLines = [] }) => sum + matchLines.length, 0);
}
