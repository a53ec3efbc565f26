import path from "node:path";
import { distanceOf, globsOf, matches, preferenceOf } from "../../source/special-places.ts";
import { rangeIn } from "../../source/special-ranges.ts";
import type { SpecialPlace } from "../../source/special-place.ts";
import { type Call, isResultOf, type ToolResult } from "./look.ts";
import type { LineRange } from "../../protocol/citation.ts";
import { stem } from "../../source/words.ts";
import { linesIn, type Stretch, stretchesIn } from "./evidence.ts";
import { isAside, isTest } from "../../source/test-path.ts";
import type { Extract } from "./extracts.ts";
import {
  createValueReader,
  settingFiles,
  type StatedValue,
  valuePattern,
  type ValueQuestion,
} from "../../source/stated-value.ts";

/**
 * The first file has a call of its own, because one call may not show all matches, and so have documents with any name, of
 * which only the heading counts.
 */
export function findSpecial(place: SpecialPlace | undefined): Call[] {
  if (place === undefined) return [];
  const { other, ...first } = place;
  if (other !== undefined) return [first, other].flatMap(findSpecial);
  const { pattern, best = pattern, underlined, files, height: contextLines, isEntry = false } = place;
  const call = (group: readonly string[], expressions: readonly (string | undefined)[]): Call[] => {
    const globs = group.flatMap(globsOf);
    const names = globs.length === 1 ? globs[0] : `{${globs.join(",")}}`;
    const joined = expressions.filter((one) => one !== undefined).join("|");
    const limit = place.hasSubject === true ? { limit: linesWithSubject } : {};
    const input = { pattern: joined, regex: true, ignoreCase: files.length > 0, contextLines, ...limit };
    return group.length === 0 ? [] : [{ tool: "grep", input: { ...input, glob: `**/${names}` } }];
  };
  const inCode = [place.declaration, place.member].filter((one) => one !== undefined).join("|");
  const ofCode: Call[] =
    inCode === "" ? [] : [{ tool: "grep", input: { pattern: inCode, regex: true, ignoreCase: false, contextLines } }];
  if (files.length === 0)
    return [{ tool: "grep", input: { pattern, regex: true, ignoreCase: false, contextLines } }, ...ofCode];
  const ofOwnFile = call(place.ownFile?.globs ?? [], place.ownFile?.forms ?? []);
  if (isEntry || files.length === 1) return [...call(files, [pattern, underlined]), ...ofOwnFile, ...ofCode];
  const others = files.slice(1);
  return [
    ...call(files.slice(0, 1), [pattern, underlined]),
    ...call(
      others.filter((name) => !isAnyName(name)),
      [pattern, underlined],
    ),
    ...call(others.filter(isAnyName), [best, underlined]),
  ];
}

const linesWithSubject = 200;

function isAnyName(name: string): boolean {
  return name.startsWith("*.");
}

/**
 * The lines of the place in the file that fits best and is nearest to the root. Of a place that most projects have, a
 * heading in any file counts more than a mention in the usual one.
 */
export function specialExtracts(
  place: SpecialPlace | undefined,
  results: readonly ToolResult[],
): Omit<Extract, "score">[] {
  if (place === undefined) return [];
  const { other, ...first } = place;
  if (other !== undefined) return [first, other].flatMap((one) => specialExtracts(one, results));
  const calls = findSpecial(place);
  const isUsual = place.files.length > 0 && place.isEntry !== true;
  const found = stretchesOf(calls, results).flatMap((stretch) => {
    const isCode = !isUsual && (place.isEntry !== true || !isAside(stretch.path));
    const sought = {
      ...place,
      ...(isCode && !stretch.isDocument ? {} : { declaration: undefined, member: undefined }),
      ownFile: place.ownFile?.globs.some((glob) => matches(glob, stretch.path)) === true ? place.ownFile : undefined,
    };
    const [lines, preference] = [rangeIn(sought, stretch), preferenceOf(place, stretch.path)];
    const isCopy =
      (isTest(stretch.path.replace(/[^/]*$/, "")) || beside.test(stretch.path)) && !stretch.path.startsWith(".github/");
    if (lines === undefined || preference === undefined || isCopy) return [];
    // Of documents with any name only the heading counts.
    if (isUsual && lines.rank > 0 && isAnyName(place.files[preference] ?? "")) return [];
    const [byRank, byFolder] = isUsual ? [1000, 15] : [20, 2];
    const isNear = place.near?.includes(path.parse(stretch.path).name.toLowerCase()) === true;
    // The comment at the head of a file of code is about all of it.
    const isHead =
      place.hasSubject === true &&
      !stretch.isDocument &&
      stretch.startLine === 1 &&
      lines.range.startLine < linesOfHead;
    const range = isHead ? { ...lines.range, startLine: 1 } : lines.range;
    const said = place.hasSubject === true ? wordsSaid(place.near ?? [], { stretch, range }) : 0;
    if (place.hasSubject === true && said < leastSaid) return [];
    const order =
      byRank * lines.rank +
      20 * preference +
      byFolder * distanceOf(stretch.path) -
      (isNear || isHead ? 15 : 0) -
      15 * said;
    return [{ stretch, range, order, isMention: isUsual && lines.rank > 0 }];
  });
  const best = found
    .toSorted(
      (a, b) =>
        a.order - b.order || a.stretch.path.length - b.stretch.path.length || a.range.startLine - b.range.startLine,
    )
    .slice(0, 1);
  return best.map(({ stretch, range, isMention }) => ({
    stretch,
    pieces: [range],
    reason: `${place.reason}, in \`${stretch.path}\``,
    role: { type: "definition", name: place.reason, fit: isMention ? ofMention : 1 },
    coverage: isMention ? ofMention : 1,
    found: [],
  }));
}

/** What only mentions the place need not be the answer: what search finds is shown as well. */
const ofMention = 0.9;

/** How many words of a question these lines have, in any form. */
function wordsSaid(words: readonly string[], { stretch, range }: { stretch: Stretch; range: LineRange }): number {
  const text = linesIn(stretch, range).join(" ").toLowerCase();
  return new Set(words.map(stem).filter((word) => text.includes(word))).size;
}

const leastSaid = 2;
const linesOfHead = 15;

/** What these calls found, with the lines around it that were read later. */
function stretchesOf(calls: readonly Call[], results: readonly ToolResult[]): Stretch[] {
  const own = results.filter((result) => calls.some((call) => isResultOf(call, result)));
  const fileOf = ({ resource, path }: { resource: string; path: string }) => `${resource}:${path}`;
  const files = new Set(own.flatMap(({ passages }) => passages.map(fileOf)));
  const reads = results.filter(
    ({ tool, passages }) => tool === "read" && passages.some((one) => files.has(fileOf(one))),
  );
  return stretchesIn([...own, ...reads]);
}

const beside = /(?:^|\/)(?:examples?|samples?|demos?|node_modules|vendor|deps|third[_-]?party)\//i;

/** One call is for files of settings alone, because one call may not show all matches. */
export function findValue(asked: ValueQuestion | undefined): Call[] {
  if (asked === undefined) return [];
  const input = {
    pattern: valuePattern(asked),
    regex: true,
    ignoreCase: true,
    contextLines: linesAround,
    limit: linesFound,
  };
  return [
    { tool: "grep", input: { ...input, glob: settingFiles } },
    { tool: "grep", input },
  ];
}

const linesAround = 9;
const linesFound = 200;
/** Chosen by hand on the tuning half of `bench/newcomer.ts`: less certain lines were mostly other values. */
const leastWorth = 1.4;
const leastOfOneWord = 1.2;

/** The line that states the value with most certainty, and the comment above it. */
export function valueExtracts(
  asked: ValueQuestion | undefined,
  results: readonly ToolResult[],
): Omit<Extract, "score">[] {
  if (asked === undefined) return [];
  const calls = findValue(asked);
  const readValue = createValueReader(asked);
  const least = asked.subject.length === 1 ? leastOfOneWord : leastWorth;
  let best: { stretch: Stretch; line: number; stated: StatedValue } | undefined;
  for (const stretch of stretchesIn(results.filter((one) => calls.some((call) => isResultOf(call, one))))) {
    if (stretch.isDocument) continue;
    for (const index of stretch.lines.keys()) {
      const stated = readValue(stretch, index);
      if (stated === undefined || stated.worth < least) continue;
      if (best === undefined || stated.worth > best.stated.worth)
        best = { stretch, line: stretch.startLine + index, stated };
    }
  }
  if (best === undefined) return [];
  const { stretch, line, stated } = best;
  const reason = `sets \`${stated.name}\``;
  return [
    {
      stretch,
      pieces: [
        { startLine: commentStart(stretch, line - Number(stated.beginsAbove)), endLine: line + stated.height - 1 },
      ],
      reason,
      role: { type: "mention" },
      coverage: 1,
      found: [],
    },
  ];
}

function commentStart({ lines, startLine }: Stretch, line: number): number {
  let first = line;
  while (/^\s*(?:\/\/|\/?\*|#(?!\s?(?:define|if)))/.test(lines[first - 1 - startLine] ?? "")) first--;
  return first;
}
