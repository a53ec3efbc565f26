import {
  type ComparedSide,
  type Comparison,
  comparisonMarkdown,
  DefinitionChange,
  type DefinitionDifference,
  definitionWords,
  describeFile,
  diffText,
  FileChange,
  fileWords,
  moreOf,
  type PlaceDiff,
  summarizeComparison,
} from "../../server/protocol/compare.ts";
import type { CitedPlace } from "../../server/protocol/cited-place.ts";
import { formatPlace } from "../../server/protocol/citation.ts";
import { callOperation } from "../../server/transports/call-operation.ts";
import { connectApp } from "../app/open-app.ts";
import { wordingOf } from "../input/option-names.ts";
import { toAbsoluteReference } from "../input/references.ts";
import { exitCodes } from "../output/exit-codes.ts";
import { jsonText, requireOneFormat } from "../output/json.ts";
import type { CompareFormat } from "../output/report-formats.ts";
import { detectStyle } from "../render/capabilities.ts";
import { clean, cleanLine } from "../render/clean.ts";
import { paint, type Style } from "../render/style.ts";
import { type Terminal, write } from "../terminal.ts";
import { ask, type AskOptions } from "./ask.ts";

/** Options of `citewell compare`. */
export interface CompareOptions extends Omit<AskOptions, "question" | "words" | "stdin" | "resource"> {
  diff?: string;
  changelog?: string;
  format: CompareFormat;
  limit: number;
}

/** What differs between two versions of one thing; with a question, the answer to it from both. */
export async function compare(
  before: string,
  after: string,
  question: string | undefined,
  options: CompareOptions,
  terminal: Terminal,
): Promise<number> {
  requireOneFormat(options);
  const { limit, diff: place } = options;
  const { signal, stdout } = terminal;
  const [first, second] = [before, after].map((text) => toAbsoluteVersion(text, terminal));
  const changelog = options.changelog === undefined ? undefined : toAbsoluteReference(options.changelog, terminal);
  const request = { before: first, after: second, place, changelog, limit };
  await using app = await connectApp(terminal, options);
  const comparison = await callOperation(app, "compare", request, { signal }, wordingOf("compare"));
  if (question !== undefined) {
    const resource = [comparison.before, comparison.after].map(askedAs);
    return ask({ ...options, question, resource }, terminal);
  }
  await write(stdout, toText(comparison, options, terminal));
  return exitCodes.ok;
}

/** How a question names a side: a repository with its tag, else with the commit. */
function askedAs({ resource, commit, version }: ComparedSide): string {
  if (commit === undefined) return resource;
  return `${resource}@${/^[\w./-]+$/.test(version) && !commit.startsWith(version) ? version : commit}`;
}

function toText(
  comparison: Comparison,
  { json, format, color }: CompareOptions,
  { stdout, env, platform }: Pick<Terminal, "stdout" | "env" | "platform">,
): string {
  switch (json === true ? "json" : format) {
    case "json":
      return jsonText(comparison);
    case "markdown":
      return comparisonMarkdown(comparison);
    case "text": {
      const flags = { color };
      return render(comparison, detectStyle({ isTTY: stdout.isTTY, columns: stdout.columns, env, platform, flags }));
    }
  }
}

/** `./lib@v1`: the path is absolute for a server that may run elsewhere; a folder may have an `@` in its own name. */
function toAbsoluteVersion(text: string, terminal: Terminal): string {
  const [, folder = text, revision = ""] = /^(\.{1,2}|~)(@.*)$/.exec(text) ?? [];
  return `${toAbsoluteReference(folder, terminal)}${revision}`;
}

function render(comparison: Comparison, style: Style): string {
  const { before, after, files, fileCounts, definitions, definitionCounts, sections, sectionCount, notes } = comparison;
  const { diff, mentions = [] } = comparison;
  const dim = (text: string) => paint(cleanLine(text, style), ["dim"], style);
  const list = (title: string, lines: readonly string[], counts: { total: number; shown: number }): string[] => {
    if (counts.total === 0) return [];
    const more = moreOf(counts.total, counts.shown);
    const rest = more === undefined ? [] : [`  ${dim(`${more}; --limit shows them`)}`];
    return [`${paint(title, ["bold"], style)} (${counts.total})`, ...lines, ...rest, ""];
  };
  return [
    cleanLine(summarizeComparison(comparison), style),
    `  before  ${dim(sideOf(before))}`,
    `  after   ${dim(sideOf(after))}`,
    "",
    ...(diff === undefined ? [] : renderDiff(diff, style)),
    ...list(
      "In the changelog",
      mentions.map((item) => `  ${cleanLine(item.text.trim(), style)}  ${dim(placeOf(item))}`),
      { total: mentions.length, shown: mentions.length },
    ),
    ...list(
      "Changelog between the versions",
      sections.map((section) => `  ${cleanLine(section.text.trim(), style)}  ${dim(placeOf(section))}`),
      { total: sectionCount, shown: sections.length },
    ),
    ...DefinitionChange.options.flatMap((change) => {
      const shown = definitions.filter((one) => one.change === change);
      const lines = shown.flatMap((one) => renderDefinition(one, style));
      return list(definitionWords[change], lines, { total: definitionCounts[change], shown: shown.length });
    }),
    ...FileChange.options.flatMap((change) => {
      const shown = files.filter((one) => one.change === change);
      const lines = shown.map((file) => `  ${cleanLine(describeFile(file), style)}`);
      return list(`Files ${fileWords[change]}`, lines, { total: fileCounts[change], shown: shown.length });
    }),
    dim("Not compared:"),
    ...notes.map((note) => `  ${dim(note)}`),
    ...(sectionCount === 0 ? [`  ${dim("--changelog <url> reads a changelog from the package's repository")}`] : []),
    "",
  ].join("\n");
}

function sideOf({ resource, commit, version }: ComparedSide): string {
  if (commit !== undefined) return `${resource}@${version} (${commit.slice(0, 10)})`;
  return resource.endsWith(version) ? resource : `${resource} (${version})`;
}

/** Without its version, which the list and the lines above it show. */
function placeOf(place: CitedPlace): string {
  return formatPlace(place.path, place);
}

function renderDefinition({ name, change, isPublic, before, after }: DefinitionDifference, style: Style): string[] {
  const dim = (text: string) => paint(cleanLine(text, style), ["dim"], style);
  const named = `${paint(cleanLine(name, style), [change === "removed" ? "bad" : "citation"], style)}${isPublic ? "" : `  ${dim("internal")}`}`;
  const line = (label: string, place: CitedPlace | undefined) =>
    place === undefined ? [] : [`    ${label} ${cleanLine(place.text.trim(), style)}  ${dim(placeOf(place))}`];
  if (change === "signature") return [`  ${named}`, ...line("-", before), ...line("+", after)];
  const places = [before, after].filter((place) => place !== undefined).map(placeOf);
  return [`  ${named}  ${dim(places.join(" → "))}`];
}

function renderDiff(diff: PlaceDiff, style: Style): string[] {
  const { place, hunks, omittedLines } = diff;
  const lines = diffText(diff).map((line, index) => {
    const text = clean(line, style);
    const colour = index < 2 ? undefined : line.startsWith("-") ? "bad" : line.startsWith("+") ? "good" : undefined;
    return colour === undefined ? text : paint(text, [colour], style);
  });
  const more = omittedLines === 0 ? [] : [`${omittedLines} more changed lines are not shown`];
  const same = hunks.length === 0 ? ["nothing in it has changed"] : [];
  return [paint(cleanLine(place, style), ["bold"], style), ...lines, ...same, ...more, ""];
}
