import * as z from "zod";
import { formatLines, LineRange } from "./citation.ts";
import { CitedPlace, markerOf } from "./cited-place.ts";
import { showInvisibleInLine } from "./invisible.ts";
import { formatMarker } from "./passage.ts";
import { limits } from "./resource-fields.ts";

const text = (limit: number) => z.string().min(1).max(limit);

/** Exactly one of `place`, `text` and `commit` says what the history is of; none of them of a package, whose releases it is. */
export const HistoryRequest = z
  .object({
    resource: text(limits.pathLength)
      .optional()
      .describe("A repository, or a package for its releases. Default: the open project."),
    place: text(limits.pathLength)
      .optional()
      .describe("A path, a path with lines (`src/a.ts:10-40`), or the name of a definition."),
    text: text(1000).optional().describe("Commits that added or removed this text; a place limits it to a file."),
    regex: z.boolean().optional().describe("`text` is a regular expression; each changed line may match."),
    commit: text(200)
      .optional()
      .describe(
        "This commit: its message, changes, and the first release with it. Of a package: a version, such as `4`.",
      ),
    blame: z.boolean().optional().describe("Of lines of a place: which commit last changed each."),
    revision: text(200).optional().describe("A commit, branch or tag to look back from. Default: the current one."),
    since: text(200).optional().describe("Only what is newer than this date, commit, tag or version."),
    limit: z.int().min(1).max(50).default(10).describe("The number of commits."),
    diffLines: z.int().min(0).max(200).default(20).describe("The number of changed lines to show of each commit."),
  })
  .meta({ id: "HistoryRequest" });
export type HistoryRequest = z.infer<typeof HistoryRequest>;

/** As in a unified diff without context: removed lines are numbered from `oldStart`, added ones from `newStart`. */
const Hunk = z.object({
  oldStart: z.int().min(0),
  newStart: z.int().min(0),
  lines: z.array(z.string()).describe("Each begins with `-` or `+`; secrets are masked."),
});
export type Hunk = z.infer<typeof Hunk>;

const ChangedFile = z.object({
  path: z.string(),
  from: z.string().optional().describe("The path before, if it was renamed."),
  change: z.enum(["added", "removed", "changed"]),
  hunks: z.array(Hunk),
});
export type ChangedFile = z.infer<typeof ChangedFile>;

const Release = z.object({ tag: z.string(), date: z.string().describe("ISO day, or `undated`.") });
export type Release = z.infer<typeof Release>;

export const HistoryCommit = z.object({
  id: z.string(),
  shortId: z.string(),
  parent: z.string().optional().describe("The id of its first parent, which has the removed lines."),
  date: z.string().describe("The author's ISO day, or `undated`."),
  author: z.string().describe("A name; never an address."),
  subject: z.string(),
  body: z.string().optional().describe("The start of the message's other lines, without trailers."),
  release: Release.nullable()
    .optional()
    .describe("The first release with the commit, by version order; null if none has it; absent if not looked for."),
  files: z.array(ChangedFile),
  omittedLines: z.int().min(1).optional().describe("Changed lines that are not shown."),
  omittedFiles: z.int().min(1).optional().describe("Changed files that are not shown."),
  isFirst: z.literal(true).optional().describe("The oldest commit of this history: it introduced what was asked for."),
  onlyFormats: z.literal(true).optional().describe("It changes nothing but white space of what was asked for."),
});
export type HistoryCommit = z.infer<typeof HistoryCommit>;

const PackageRelease = z.object({
  version: z.string(),
  date: z.string().optional().describe("The ISO day of its publication, by the registry."),
  isCurrent: z.literal(true).optional().describe("Whether it is the one that is asked about: the installed one."),
  isFirst: z.literal(true).optional().describe("The first of the versions that were asked for."),
  changes: z.array(CitedPlace).describe("Lines of the changelog for it."),
  omittedChanges: z.int().min(1).optional().describe("Items of the changelog that are not shown."),
});
export type PackageRelease = z.infer<typeof PackageRelease>;

export const HistoryReply = z
  .object({
    resource: z.string(),
    revision: z.string().describe("The commit that the history was read from."),
    of: z.string().describe("What it is the history of, in words."),
    path: z.string().optional(),
    ...LineRange.partial().shape,
    commits: z.array(HistoryCommit).describe("The newest first."),
    blame: z
      .array(LineRange.extend({ shortId: z.string() }))
      .optional()
      .describe("With `blame`: the lines by the commit that last changed them."),
    releases: z.array(PackageRelease).optional().describe("Of a package, in place of commits: the highest first."),
    total: z.int().min(0).describe("The commits or releases that were found, shown or not."),
    hasMore: z.literal(true).optional().describe("Whether there may be older commits that were not looked for."),
    notes: z.array(z.string()).describe("What limits this history, in words."),
  })
  .meta({ id: "HistoryReply" });
export type HistoryReply = z.infer<typeof HistoryReply>;

/**
 * For reading, by models and in a terminal; with `asMarkers`, each commit is named as it is cited. What others wrote is below `|`, as the lines of files are, so that a commit
 * message cannot pass for a remark of ours.
 */
export function showHistory(
  { resource, revision, of, commits, blame, releases, total, hasMore, notes }: HistoryReply,
  { asMarkers = false }: { asMarkers?: boolean } = {},
): string {
  if (releases !== undefined) return showReleases(releases, { resource, total, notes });
  const nameCommit = (id: string) =>
    asMarkers ? formatMarker({ resource, path: "", startLine: 0, endLine: 0, commit: { id } }) : id;
  const count = `${hasMore === true ? "at least " : ""}${total === 1 ? "1 commit" : `${total} commits`}`;
  const head = `${name(resource)}: ${name(of)}, ${count}, seen from ${revision.slice(0, 10)}`;
  const byCommit = new Map<string, string[]>();
  for (const { shortId, ...lines } of blame ?? []) {
    byCommit.set(shortId, [...(byCommit.get(shortId) ?? []), formatLines(lines)]);
  }
  const left = total - commits.length;
  return [
    head,
    ...commits.map((commit) =>
      showCommit(commit, { shown: nameCommit(commit.shortId), lines: byCommit.get(commit.shortId) }),
    ),
    ...(left > 0
      ? [`${left} more ${left === 1 ? "commit is" : "commits are"} not shown; a higher limit shows them.`]
      : []),
    ...notes.map((note) => `Note: ${name(note)}.`),
  ].join("\n\n");
}

function showReleases(
  releases: readonly PackageRelease[],
  { resource, total, notes }: Pick<HistoryReply, "resource" | "total" | "notes">,
): string {
  const left = total - releases.length;
  return [
    `${name(resource)}: ${describeReleases(releases, total)}`,
    ...releases.map((release) =>
      [
        releaseFacts(release),
        ...release.changes.map((change) => `  ${markerOf(change)} | ${name(change.text.trim())}`),
        ...(release.omittedChanges === undefined ? [] : [`  (${release.omittedChanges} more items)`]),
      ].join("\n"),
    ),
    ...(left > 0 ? [`${left} more ${left === 1 ? "release is" : "releases are"} not shown.`] : []),
    ...notes.map((note) => `Note: ${name(note)}.`),
  ].join("\n\n");
}

/** `3 releases, the newest 4.1.2`. */
export function describeReleases(releases: readonly PackageRelease[], total: number): string {
  const [newest] = releases;
  if (newest === undefined) return "no release";
  const isNewest = newest.isCurrent === true ? `${newest.version} is the newest` : `the newest is ${newest.version}`;
  return `${total === 1 ? "1 release" : `${total} releases`}, ${isNewest}`;
}

/** `4.0.0, 2025-07-10, in use`. */
export function releaseFacts({ version, date, isCurrent, isFirst }: PackageRelease): string {
  const facts = [name(version), date ?? "no date", isFirst && "the first", isCurrent && "in use"];
  return facts.filter((fact) => typeof fact === "string").join(", ");
}

function showCommit(
  commit: HistoryCommit,
  { shown, lines }: { shown: string; lines: readonly string[] | undefined },
): string {
  const { date, author, subject, body, files, omittedLines = 0, omittedFiles = 0 } = commit;
  const facts = [
    `${shown} ${date} by ${name(author)}`,
    ...(lines === undefined ? [] : [`lines ${lines.join(", ")}`]),
    ...describeCommit(commit),
  ];
  const message = [subject, ...(body === undefined ? [] : body.split("\n"))];
  const left = [
    ...(omittedLines === 0 ? [] : [`${omittedLines} changed ${omittedLines === 1 ? "line" : "lines"}`]),
    ...(omittedFiles === 0 ? [] : [`${omittedFiles} ${omittedFiles === 1 ? "file" : "files"}`]),
  ];
  return [
    facts.join(", "),
    ...message.map((line) => `  | ${name(line)}`),
    ...files.flatMap(showFile),
    ...(left.length === 0 ? [] : [`  (${left.join(" and ")} not shown)`]),
  ].join("\n");
}

/** Its first release, whether it is the first commit, and whether it only formats, in words. */
export function describeCommit(commit: HistoryCommit): string[] {
  const { isFirst, onlyFormats } = commit;
  return [
    ...describeRelease(commit),
    ...(isFirst === true ? ["the first"] : []),
    ...(onlyFormats === true ? ["white space only"] : []),
  ];
}

/** `first in v4.18.0 (2022-04-25)`; nothing where no release was looked for. */
export function describeRelease({ release }: Pick<HistoryCommit, "release">): string[] {
  if (release === undefined) return [];
  return [release === null ? "in no release yet" : `first in ${name(release.tag)} (${release.date})`];
}

function showFile({ path, from, change, hunks }: ChangedFile): string[] {
  const renamed = from === undefined ? "" : ` (before: ${name(from)})`;
  const lines = hunks.flatMap(numberHunk);
  return [
    `  ${name(path)}${change === "changed" ? "" : ` ${change}`}${renamed}`,
    ...lines.map((line) => `    ${line}`),
  ];
}

/** `-10|text` and `+12|text`. */
export function numberHunk({ oldStart, newStart, lines }: Hunk): string[] {
  let [before, after] = [oldStart, newStart];
  return lines.map((line) => {
    const number = line.startsWith("-") ? before++ : after++;
    return `${line.slice(0, 1)}${number}|${line.slice(1)}`;
  });
}

function name(text: string): string {
  return showInvisibleInLine(text);
}
