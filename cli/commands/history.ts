import { CitewellError } from "../../server/errors.ts";
import {
  describeCommit,
  type HistoryCommit,
  type HistoryReply,
  numberHunk,
  type PackageRelease,
  releaseFacts,
} from "../../server/protocol/git-history.ts";
import { formatCitedPlace } from "../../server/protocol/cited-place.ts";
import { formatLines } from "../../server/protocol/citation.ts";
import { isPackageReference } from "../../server/protocol/kinds/names.ts";
import { callOperation } from "../../server/transports/call-operation.ts";
import { connectApp } from "../app/open-app.ts";
import type { ServerOptions } from "../definitions/global-options.ts";
import { wordingOf } from "../input/option-names.ts";
import { explainMissingFolder, toAbsoluteReference } from "../input/references.ts";
import { exitCodes } from "../output/exit-codes.ts";
import { jsonText } from "../output/json.ts";
import { detectStyle } from "../render/capabilities.ts";
import { clean, cleanLine } from "../render/clean.ts";
import { paint, type Style } from "../render/style.ts";
import { type Terminal, write } from "../terminal.ts";

/** Options of `citewell history`. */
export interface HistoryOptions extends ServerOptions {
  resource?: string;
  text?: string;
  regex?: boolean;
  commit?: string;
  blame?: boolean;
  at?: string;
  since?: string;
  limit: number;
  diffLines: number;
}

/** The commits of a place, a text or an id; none is exit code 3. */
export async function history(place: string | undefined, options: HistoryOptions, terminal: Terminal): Promise<number> {
  const { resource: named, text, regex, commit, blame, at: revision, since, limit, diffLines } = options;
  const { signal, stdout, stderr, env, platform } = terminal;
  const isReference = place !== undefined && isPackageReference(place);
  const resourceName = named ?? (isReference ? place : undefined);
  if (place === undefined && text === undefined && commit === undefined && named === undefined) {
    throw new CitewellError("InvalidUsage", "history needs a place, a package, --text or --commit", {
      hint: "citewell history src/retry.ts:10-40, or citewell history --text MAX_RETRIES",
    });
  }
  const resource = resourceName === undefined ? undefined : toAbsoluteReference(resourceName, terminal);
  const request = {
    resource,
    place: isReference && named === undefined ? undefined : place,
    text,
    regex,
    commit,
    blame,
    revision,
    since,
    limit,
    diffLines,
  };
  await using app = await connectApp(terminal, options);
  const reply = await callOperation(app, "history", request, { signal }, wordingOf("history")).catch(
    (error: unknown) => {
      throw explainMissingFolder(error, named === undefined ? [] : [named], terminal);
    },
  );
  const style = detectStyle({ isTTY: stdout.isTTY, columns: stdout.columns, env, platform, flags: options });
  await write(stdout, options.json === true ? jsonText(reply) : render(reply, style));
  if (options.quiet !== true && options.json !== true) await writeNotes(reply, { stderr, style });
  return reply.commits.length + (reply.releases?.length ?? 0) === 0 ? exitCodes.notFound : exitCodes.ok;
}

function render({ commits, blame = [], releases }: HistoryReply, style: Style): string {
  if (releases !== undefined) return releases.map((release) => renderRelease(release, style)).join("");
  return commits
    .map((commit) => {
      const own = blame.filter(({ shortId }) => shortId === commit.shortId).map(formatLines);
      return renderCommit(commit, own, style);
    })
    .join("\n");
}

function renderRelease(release: PackageRelease, style: Style): string {
  const { changes, omittedChanges } = release;
  const dim = (text: string) => paint(cleanLine(text, style), ["dim"], style);
  return [
    paint(cleanLine(releaseFacts(release), style), ["citation"], style),
    ...changes.map((change) => `  ${cleanLine(change.text.trim(), style)}  ${dim(formatCitedPlace(change))}`),
    ...(omittedChanges === undefined ? [] : [`  ${dim(`${omittedChanges} more items`)}`]),
    "",
  ].join("\n");
}

function renderCommit(commit: HistoryCommit, lines: readonly string[], style: Style): string {
  const { shortId, date, author, subject, body = "", files, omittedLines = 0, omittedFiles = 0 } = commit;
  const facts = [date, author, ...(lines.length === 0 ? [] : [`lines ${lines.join(", ")}`]), ...describeCommit(commit)];
  const dim = (text: string) => paint(cleanLine(text, style), ["dim"], style);
  const left = [
    ...(omittedLines === 0 ? [] : [`${omittedLines} changed lines`]),
    ...(omittedFiles === 0 ? [] : [`${omittedFiles} files`]),
  ];
  return [
    `${paint(shortId, ["citation"], style)}  ${cleanLine(subject, style)}`,
    `  ${dim(facts.join(", "))}`,
    ...(body === "" ? [] : body.split("\n").map((line) => `  ${cleanLine(line, style)}`)),
    ...files.flatMap(({ path, from, change, hunks }) => [
      `  ${dim(`${path}${change === "changed" ? "" : ` ${change}`}${from === undefined ? "" : ` (before: ${from})`}`)}`,
      ...hunks.flatMap(numberHunk).map((line) => `    ${renderChange(line, style)}`),
    ]),
    ...(left.length === 0 ? [] : [`  ${dim(`${left.join(" and ")} not shown`)}`]),
    "",
  ].join("\n");
}

function renderChange(line: string, style: Style): string {
  return paint(clean(line, style).replaceAll("\n", " "), [line.startsWith("-") ? "bad" : "good"], style);
}

async function writeNotes(
  { of, commits, releases, total, hasMore, notes }: HistoryReply,
  { stderr, style }: { stderr: Terminal["stderr"]; style: Style },
): Promise<void> {
  const noun = releases === undefined ? "commit" : "release";
  const count = `${hasMore === true ? "at least " : ""}${total} ${noun}${total === 1 ? "" : "s"}`;
  if (total > (releases ?? commits).length)
    await write(stderr, `${cleanLine(of, style)}: ${count}; --limit shows more\n`);
  for (const note of notes) await write(stderr, `${cleanLine(note, style)}\n`);
}
