import { showInvisible, showInvisibleInLine } from "../../protocol/invisible.ts";
import { describeRelease, type HistoryCommit, type HistoryReply } from "../../protocol/git-history.ts";
import { formatMarker } from "../../protocol/passage.ts";
import { fenceAround } from "./answer.ts";
import type { HistoryQuestion } from "./history-question.ts";
import { type Call, type Conversation, isResultOf, literal, type Looking, lookUp } from "./look.ts";

const messageLines = 6;
const hunkLines = 24;
const linesCited = 30;
const changelogs = "{CHANGELOG,CHANGES,HISTORY,History,Changes,NEWS,RELEASES,Changelog,changelog}*";

/** Looks up the commits, and where the subject is today. */
export function* lookForHistory(
  conversation: Conversation,
  asked: HistoryQuestion,
  resource: string | undefined,
): Looking<void> {
  const named = resource === undefined ? {} : { resource };
  yield* lookUp(conversation, `Looking for the commits of ${subjectOf(asked)}.`, [
    changesCall(asked, resource),
    ...placeCalls(asked, named),
  ]);
  if (historyFound(conversation, asked, resource) !== undefined) return;
  const [pattern] = [asked.text, ...asked.words].filter((word) => word !== undefined);
  if (pattern === undefined) return;
  yield* lookUp(conversation, "Looking into the changelogs.", [
    { tool: "grep", input: { pattern, wholeWord: true, ignoreCase: true, glob: changelogs, limit: 30, ...named } },
    { tool: "grep", input: { pattern: versionHeading, regex: true, glob: changelogs, limit: 200, ...named } },
  ]);
}

const versionHeading = String.raw`^(?:#{1,4} .*|[vV]?|Version |\* \[?|\[)\d+\.\d+`;

function changesCall(asked: HistoryQuestion, resource: string | undefined): Call {
  return { tool: "changes", input: { ...asked, ...(resource === undefined ? {} : { resource }) } };
}

/** The calls that find the lines to cite. */
function placeCalls({ place, text }: HistoryQuestion, named: { resource?: string }): Call[] {
  const [path = "", lines] = (place ?? "").split(/:(?=\d)/);
  if (lines !== undefined) return [{ tool: "read", input: { path: place ?? "", ...named } }];
  if (text === undefined)
    return /\.\w+$/.test(path) ? [{ tool: "read", input: { path, startLine: 1, endLine: 1, ...named } }] : [];
  const name = /^[\w$]+$/.test(text) ? [{ tool: "definition", input: { name: text, ...named } } as const] : [];
  return [...name, { tool: "grep", input: { pattern: literal(text), regex: true, limit: 20, ...named } }];
}

function historyFound(
  { results }: Conversation,
  asked: HistoryQuestion,
  resource: string | undefined,
): HistoryReply | undefined {
  const found = results.find((result) => isResultOf(changesCall(asked, resource), result))?.history;
  return found === undefined || found.commits.length === 0 ? undefined : found;
}

/** Writes the commits; nothing if none was found. */
export function* writeHistory(
  conversation: Conversation,
  asked: HistoryQuestion,
  resource: string | undefined,
): Generator<string> {
  const found = historyFound(conversation, asked, resource);
  const [first, ...others] = found?.commits ?? [];
  if (found === undefined || first === undefined) return;
  const { resource: name } = found;
  // The commits of a place are in order of time; a text may mean one or another.
  const isOrdered = asked.text === undefined && asked.place !== undefined;
  yield `${introduce(first, asked, { resource: name, isLikely: others.length > 0 && !isOrdered })}\n`;
  yield* writeCommit(first, name);
  for (const note of found.notes) yield `\nNote: ${plain(note)}.\n`;
  const cited = citedToday(conversation);
  if (cited !== undefined) yield `\nIn the current code: ${cited}\n`;
  if (others.length === 0) return;
  yield `\n${isOrdered || asked.since !== undefined || asked.until !== undefined ? "Others of it" : "Other commits that it may be"}:\n\n`;
  for (const commit of others)
    yield `- ${[nameOf(commit, name), plain(commit.subject), ...describeRelease(commit).map(plain)].join(", ")}\n`;
}

/** One sentence on why there is no commit to show. */
export function* writeNoHistory(
  { results }: Conversation,
  asked: HistoryQuestion,
  resource: string | undefined,
): Generator<string> {
  const result = results.find((one) => isResultOf(changesCall(asked, resource), one));
  const none = `no commit was found that ${past[asked.event].verb} ${subjectOf(asked)}`;
  const [refusal = ""] = (result?.refusal ?? "").split("\n");
  const reason = result?.history === undefined ? plain(refusal || "the history was not read") : none;
  const notes = (result?.history?.notes ?? []).map((note) => ` (${plain(note)})`);
  yield `There is no answer from git: ${reason}${notes.join("")}.\n\n`;
}

/** The lines of changelogs with the subject, below the version that they are of. */
export function* writeChangelog({ results }: Conversation): Generator<string> {
  const [found, headings] = results.filter(({ tool, input }) => tool === "grep" && input["glob"] === changelogs);
  const versions = (headings?.passages ?? []).flatMap(({ resource, path, startLine, lines }) =>
    lines.map((text, index) => ({ resource, path, line: startLine + index, text })),
  );
  const lines = (found?.passages ?? []).flatMap(({ resource, path, startLine, lines: all }) =>
    all.map((text, index) => ({ resource, path, line: startLine + index, text })),
  );
  const oldest = lines.slice(-3);
  if (oldest.length === 0) return;
  yield "The changelog mentions it:\n\n";
  for (const { resource, path, line, text } of oldest) {
    const above = versions.findLast((one) => one.path === path && one.resource === resource && one.line <= line);
    const under = above === undefined ? "" : `${plain(above.text.replace(/^[#*\s]+/, ""))}: `;
    yield `- ${under}${plain(text.trim())} ${formatMarker({ resource, path, startLine: line, endLine: line })}\n`;
  }
}

const past: Readonly<Record<HistoryQuestion["event"], { was: string; verb: string }>> = {
  added: { was: "was added", verb: "added" },
  removed: { was: "was removed", verb: "removed" },
  renamed: { was: "was renamed", verb: "renamed" },
  changed: { was: "was changed", verb: "changed" },
  reverted: { was: "was reverted", verb: "reverted" },
  last: { was: "was changed last", verb: "changed" },
  reason: { was: "got its present form", verb: "changed" },
};

function introduce(
  commit: HistoryCommit,
  asked: HistoryQuestion,
  { resource, isLikely }: { resource: string; isLikely: boolean },
): string {
  const { release } = commit;
  const released =
    release === undefined
      ? ""
      : release === null
        ? " No release has it yet."
        : ` The first release with ${asked.event === "added" ? "it" : "that"} is ${plain(release.tag)} (${release.date}).`;
  const likely = isLikely ? " most likely" : "";
  if (asked.since !== undefined || asked.until !== undefined) {
    return `The newest change of ${subjectOf(asked)} there is commit ${nameOf(commit, resource)}.${released}`;
  }
  return `${subjectOf(asked)} ${past[asked.event].was}${likely} by commit ${nameOf(commit, resource)}.${released}`;
}

/** The message and the changed lines. */
function* writeCommit({ id, parent, subject, body, files }: HistoryCommit, resource: string): Generator<string> {
  const message = [subject, ...(body === undefined ? [] : body.split("\n"))].slice(0, messageLines);
  yield* fenced(message, "text");
  let left = hunkLines;
  for (const { path, from = path, hunks } of files) {
    for (const { oldStart, newStart, lines: all } of hunks) {
      const lines = all.slice(0, left);
      left -= lines.length;
      if (lines.length === 0) return;
      const added = lines.filter((line) => line.startsWith("+")).length;
      const [side, startLine, count, at] =
        added > 0 ? (["", newStart, added, path] as const) : (["^", oldStart, lines.length, from] as const);
      const isCited = side === "" || parent !== undefined;
      const lineRange = { resource, path: at, startLine, endLine: startLine + count - 1 };
      yield `\n${isCited ? formatMarker({ ...lineRange, commit: { id: `${id}${side}` } }) : code(at)}\n`;
      yield* fenced(lines, "diff");
    }
  }
}

function* fenced(lines: readonly string[], tag: string): Generator<string> {
  const fence = fenceAround(lines);
  yield `\n${fence}${tag}\n`;
  for (const line of lines) yield `${showInvisible(line).replaceAll("[[", "[ [")}\n`;
  yield `${fence}\n`;
}

function nameOf({ id, date, author }: HistoryCommit, resource: string): string {
  return `${formatMarker({ resource, path: "", startLine: 0, endLine: 0, commit: { id } })} of ${date} by ${plain(author)}`;
}

function subjectOf({ text, place, words }: HistoryQuestion): string {
  if (text !== undefined) return place === undefined ? code(text) : `${code(text)} in ${code(place)}`;
  return place === undefined ? `“${words.join(" ")}”` : place === "." ? "the repository" : code(place);
}

function code(text: string): string {
  return `\`${showInvisibleInLine(text).replaceAll("`", "'")}\``;
}

/** Text of others as text: no Markdown, no marker. */
function plain(text: string): string {
  return showInvisibleInLine(text).replace(/[\\`*_[\]<>#|~]/g, "\\$&");
}

/** The definition, else the first line that has it. */
function citedToday({ results }: Conversation): string | undefined {
  const [first] = results.flatMap(({ passages }) => passages);
  if (first === undefined) return undefined;
  return formatMarker({ ...first, endLine: first.startLine + Math.min(first.lines.length, linesCited) - 1 });
}
