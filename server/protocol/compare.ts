import * as z from "zod";
import { CitedPlace, citedPlaceMarkdown, formatCitedPlace, inlineCode, markerOf } from "./cited-place.ts";
import { showInvisible, showInvisibleInLine } from "./invisible.ts";
import { limits } from "./resource-fields.ts";

const reference = z.string().min(1).max(limits.urlLength);

export const CompareRequest = z
  .object({
    before: reference.describe(
      "A package (`npm:express@4`, a dependency's name), or a repository or folder, with a revision behind `@` (`zod@v3`). " +
        "Without version or revision: as it is installed, configured or open now.",
    ),
    after: reference.describe("The same thing at another version or revision, or that alone: `5`, `v4`."),
    place: z
      .string()
      .min(1)
      .max(limits.pathLength)
      .optional()
      .describe("A path, or the name of a definition, perhaps with its owner: its changed lines are shown."),
    changelog: reference
      .optional()
      .describe("A repository or folder whose changelog is read, too: many packages do not contain theirs."),
    limit: z.int().min(1).max(1000).default(40).describe("The length of each list."),
  })
  .meta({ id: "CompareRequest" });
export type CompareRequest = z.infer<typeof CompareRequest>;

export const FileChange = z.enum(["removed", "renamed", "changed", "added"]);
export type FileChange = z.infer<typeof FileChange>;

const FileDifference = z
  .object({
    change: FileChange,
    path: z.string().describe("In the new version; of a removed file, in the old one."),
    from: z.string().optional().describe("The path before, of a renamed file."),
    similarity: z.int().min(0).max(100).optional().describe("The percentage of lines that a renamed file kept."),
    addedLines: z.int().min(0),
    removedLines: z.int().min(0),
    isText: z.boolean().describe("False if it is binary or too large: then lines are not counted."),
    isAside: z.boolean().describe("Whether it is a test, an example, vendored or generated: these come last."),
  })
  .meta({ id: "FileDifference" });
export type FileDifference = z.infer<typeof FileDifference>;

/**
 * - `removed`: no file of the new version defines it.
 * - `signature`: its first lines are others, such as parameters, types or bases.
 * - `added`: no file of the old version defines it.
 * - `moved`: it is the same in another file.
 * - `body`: what is in it has changed, not only comments and white space.
 */
export const DefinitionChange = z.enum(["removed", "signature", "added", "moved", "body"]);
export type DefinitionChange = z.infer<typeof DefinitionChange>;

const DefinitionDifference = z
  .object({
    name: z.string().describe("With what it is in or on: `Command.parse`, `res.send`."),
    change: DefinitionChange,
    isPublic: z
      .boolean()
      .describe("Whether others can use it, as far as its lines and its path say. These come first."),
    before: CitedPlace.optional(),
    after: CitedPlace.optional(),
  })
  .meta({ id: "DefinitionDifference" });
export type DefinitionDifference = z.infer<typeof DefinitionDifference>;

const Side = z.object({
  resource: z.string().describe("What opens it: `npm:express@5.1.0`; of a repository, its name."),
  commit: z.string().optional().describe("The full id, of a commit."),
  version: z.string().describe("As people know it: a package's version, a tag, an abbreviated id, `as it is now`."),
  label: z.string().describe("With where it is from."),
});
export type ComparedSide = z.infer<typeof Side>;

/** Context lines begin with a space, removed ones with `-`, added ones with `+`. */
const DiffHunk = z.object({
  oldStart: z.int().min(0),
  newStart: z.int().min(0),
  lines: z.array(z.string()).describe("With three lines around; secrets are masked."),
});
export type DiffHunk = z.infer<typeof DiffHunk>;

const PlaceDiff = z
  .object({
    place: z.string().describe("As it was asked for, or what it was found to be."),
    before: CitedPlace.optional().describe("Absent if the old version does not have it."),
    after: CitedPlace.optional().describe("Absent if the new version does not have it."),
    hunks: z.array(DiffHunk).describe("Empty if nothing in it has changed."),
    omittedLines: z.int().min(0).describe("Changed lines that are not shown."),
  })
  .meta({ id: "PlaceDiff" });
export type PlaceDiff = z.infer<typeof PlaceDiff>;

const count = z.int().min(0);

export const Comparison = z
  .object({
    of: z.string().describe("What both are versions of: `npm:express`, a configured name."),
    before: Side,
    after: Side,
    files: z.array(FileDifference).describe("The first of each change: sources first, the most changed lines first."),
    fileCounts: z.object({ removed: count, renamed: count, changed: count, added: count }),
    definitions: z.array(DefinitionDifference).describe("The first of each change, public ones first."),
    definitionCounts: z.object({ removed: count, signature: count, added: count, moved: count, body: count }),
    sections: z.array(CitedPlace).describe("The headings of changelogs and guides between the two, the newest first."),
    sectionCount: count,
    mentions: z.array(CitedPlace).optional().describe("Items of changelogs between the two that name the place."),
    diff: PlaceDiff.optional().describe("Of the place that was asked for."),
    notes: z.array(z.string()).describe("What was not compared, in words."),
  })
  .meta({ id: "Comparison" });
export type Comparison = z.infer<typeof Comparison>;

/** The headings of lists of definitions, in their order. */
export const definitionWords = {
  removed: "Removed",
  signature: "Changed signature",
  added: "Added",
  moved: "Moved",
  body: "Changed inside",
} as const satisfies Record<DefinitionChange, string>;

export const fileWords = {
  removed: "removed",
  renamed: "renamed",
  changed: "changed",
  added: "added",
} as const satisfies Record<FileChange, string>;

/** `npm:express 4.21.2 → 5.1.0: 31 files changed (2 removed, …), 12 definitions removed, 4 with another signature.` */
export function summarizeComparison({ of, before, after, fileCounts, definitionCounts }: Comparison): string {
  const versions = `${of} ${before.version} → ${after.version}`;
  const files = FileChange.options.filter((change) => fileCounts[change] > 0);
  const total = files.reduce((sum, change) => sum + fileCounts[change], 0);
  if (total === 0) return `${versions}: no file has changed.`;
  const each = files.map((change) => `${fileCounts[change]} ${fileWords[change]}`).join(", ");
  const { removed, signature, added, body } = definitionCounts;
  const counted = [
    [removed, "removed"],
    [signature, "with another signature"],
    [added, "added"],
    [body, "changed inside"],
  ] as const;
  const definitions = counted.filter(([some]) => some > 0).map(([some, words]) => `${some} ${words}`);
  const rest = definitions.length === 0 ? "" : `; definitions: ${definitions.join(", ")}`;
  return `${versions}: ${total} ${total === 1 ? "file differs" : "files differ"} (${each})${rest}.`;
}

/** `and 214 more`, if there are more than are shown. */
export function moreOf(total: number, shown: number): string | undefined {
  return total > shown ? `and ${total - shown} more` : undefined;
}

/** `lib/a.js → lib/b.js (92 % the same)  +3 −2` */
export function describeFile({ path, from, similarity, addedLines, removedLines, isText }: FileDifference): string {
  const name = from === undefined ? path : `${from} → ${path} (${similarity ?? 0} % the same)`;
  return `${showInvisibleInLine(name)}  ${isText ? `+${addedLines} −${removedLines}` : "not text"}`;
}

/** The changed lines as in a unified diff. */
export function diffText({ before, after, hunks }: PlaceDiff): string[] {
  return [
    `--- ${before === undefined ? "not there" : formatCitedPlace(before)}`,
    `+++ ${after === undefined ? "not there" : formatCitedPlace(after)}`,
    ...hunks.flatMap(({ oldStart, newStart, lines }) => {
      const counted = (sign: string) => lines.filter((line) => line.startsWith(sign) || line.startsWith(" ")).length;
      return [`@@ -${oldStart},${counted("-")} +${newStart},${counted("+")} @@`, ...lines];
    }),
  ];
}

/** The lines of both versions that a hunk shows. */
export function hunkPlaces({ before, after }: PlaceDiff, { oldStart, newStart, lines }: DiffHunk): CitedPlace[] {
  const place = (of: CitedPlace | undefined, startLine: number, sign: string) => {
    const shown = lines.filter((line) => line.startsWith(sign) || line.startsWith(" "));
    if (of === undefined || shown.length === 0) return [];
    return [{ ...of, startLine, endLine: startLine + shown.length - 1, text: shown[0]?.slice(1) ?? "" }];
  };
  return [...place(before, oldStart, "-"), ...place(after, newStart, "+")];
}

/** For issues and pull requests: each place is a citation that `citewell verify` checks. */
export function comparisonMarkdown(comparison: Comparison): string {
  const { of, before, after, files, fileCounts, definitions, definitionCounts, sections, sectionCount, notes } =
    comparison;
  const { diff, mentions = [] } = comparison;
  const list = (title: string, items: readonly string[], total: number) =>
    total === 0 ? [] : [`## ${title} (${total})`, [...items, ...rest(total, items.length)].join("\n")];
  return [
    `# ${of} ${before.version} → ${after.version}`,
    summarizeComparison(comparison),
    ...(diff === undefined ? [] : diffMarkdown(diff)),
    ...mentions.map((mention) => `- changelog: ${citedPlaceMarkdown(mention)}`),
    ...list(
      "Changelog between the versions",
      sections.map((section) => `- ${citedPlaceMarkdown(section)}`),
      sectionCount,
    ),
    ...DefinitionChange.options.flatMap((change) =>
      list(
        definitionWords[change],
        definitions.filter((one) => one.change === change).map(definitionMarkdown),
        definitionCounts[change],
      ),
    ),
    ...FileChange.options.flatMap((change) =>
      list(
        `Files ${fileWords[change]}`,
        files.filter((one) => one.change === change).map((file) => `- \`${inlineCode(describeFile(file))}\``),
        fileCounts[change],
      ),
    ),
    ...(notes.length === 0 ? [] : ["## Not compared", notes.map((note) => `- ${note}`).join("\n")]),
    "",
  ].join("\n\n");

  function rest(total: number, shown: number): string[] {
    const more = moreOf(total, shown);
    return more === undefined ? [] : [`- ${more}`];
  }
}

function definitionMarkdown({ name, before, after }: DefinitionDifference): string {
  const places = [
    ...(before === undefined ? [] : [`  - before: ${citedPlaceMarkdown(before)}`]),
    ...(after === undefined ? [] : [`  - after: ${citedPlaceMarkdown(after)}`]),
  ];
  return [`- **\`${inlineCode(name)}\`**`, ...places].join("\n");
}

function diffMarkdown(diff: PlaceDiff): string[] {
  const { place, before, after, hunks, omittedLines } = diff;
  const places = [
    ...(before === undefined ? [] : [`- before: ${markerOf(before)}`]),
    ...(after === undefined ? [] : [`- after: ${markerOf(after)}`]),
  ];
  const lines = diffText(diff).slice(2);
  return [
    `## \`${inlineCode(place)}\``,
    places.join("\n"),
    hunks.length === 0 ? "Nothing in it has changed." : fencedDiff(lines).join("\n"),
    ...(omittedLines === 0 ? [] : [`${omittedLines} more changed lines are not shown.`]),
  ];
}

/** A block of code that no line can end. */
export function fencedDiff(lines: readonly string[]): string[] {
  const longest = Math.max(2, ...lines.flatMap((line) => (line.match(/`+/g) ?? []).map((ticks) => ticks.length)));
  const fence = "`".repeat(longest + 1);
  return [`${fence}diff`, ...lines.map(showInvisible), fence];
}
