import type { LineRange } from "../../protocol/citation.ts";
import { writeExtract } from "./answer.ts";
import { dependenciesIn } from "../../source/dependencies.ts";
import { numbersOf } from "./excerpt-context.ts";
import { joined } from "./excerpt-surroundings.ts";
import { literal, type ToolResult } from "./look.ts";
import { asksForDependencies, focusOf } from "./overview-question.ts";
import { linesIn, type Stretch, stretchesIn } from "./evidence.ts";
import { manyStages } from "../../source/usual-for-contributors.ts";
import { introduction } from "../../source/introduction.ts";
import { rowsOf } from "./overview.ts";
import { describedParts, writeParts } from "./parts.ts";
import { ownWords } from "./question.ts";
import {
  entryPaths,
  factsOf,
  findProjects,
  mainLinesIn,
  mainListing,
  manifestsOf,
  nextOf,
  partList,
  type Project,
} from "./project.ts";

/** The maximum heights of the parts, in lines of a hundred characters. */
const heights = { readme: 14, design: 26, entry: 24, start: 40, dependencies: 60 } as const;
const shortHeights = { readme: 8, design: 0, entry: 10 } as const;
const rowsOfEntry = 8;
const rowsOfParts = 40;
const fewRowsOfParts = 12;

/** Writes an overview of each project, or only its dependencies; undefined if nothing that describes one was found. */
export function writeProjects(results: readonly ToolResult[], question: string): Iterable<string> | undefined {
  const found = findProjects(results);
  const stretches = stretchesIn(results);
  const isOnly = found.length === 1;
  const overviews = () =>
    found.map((project) => ({ project, parts: partsOf(project, { results, stretches, isOnly, question }) }));
  const dependencies = found.map((project) => ({ project, parts: dependenciesOf(project, stretches) }));
  const isFilled = ({ parts }: { parts: unknown[] }) => parts.length > 0;
  const sections = (asksForDependencies(question) ? dependencies : []).filter(isFilled);
  if (sections.length > 0) return writeSections(sections, (names) => `the dependencies of ${names}`);
  const filled = overviews().filter(isFilled);
  if (filled.length === 0) return undefined;
  return writeSections(filled, (names) => `what ${names} is, how it is laid out, and where it starts`);
}

/** The lines of each manifest that name dependencies and the language's versions. */
function dependenciesOf(project: Project, stretches: readonly Stretch[]): Part[] {
  return manifestsOf(project, stretches).flatMap((stretch) => {
    const listed = dependenciesIn(stretch).flatMap(({ startLine, endLine }) => numbersOf(startLine, endLine));
    const runtime = stretch.lines.flatMap((line, index) => (requiredRuntime.test(line) ? [index + 1] : []));
    const sorted = [...new Set([...listed, ...runtime])].toSorted((x, y) => x - y).slice(0, heights.dependencies);
    const pieces = joined(
      sorted.map((line) => ({ startLine: line, endLine: line })),
      stretch,
    );
    const reason =
      listed.length > 0
        ? `its dependencies, in \`${stretch.path}\``
        : `what it needs, in \`${stretch.path}\`, where no list of dependencies was found`;
    return pieces.length === 0 ? [] : [{ reason, stretch, pieces }];
  });
}

/** The versions of a language or runtime that a manifest asks for. */
const requiredRuntime =
  /^\s{0,4}(?:requires-python\s*=|python_requires\s*=|rust-version\s*=|go \d|"(?:node|php)"\s*:|\w+\.required_ruby_version\s*=|<(?:maven\.compiler\.(?:release|source)|java\.version)>)/;

interface Part {
  reason: string;
  stretch: Stretch;
  pieces: LineRange[];
}

/** The parts of a project's overview; a text is printed unchanged. */
function partsOf(
  project: Project,
  {
    results,
    stretches,
    isOnly,
    question,
  }: { results: readonly ToolResult[]; stretches: readonly Stretch[]; isOnly: boolean; question: string },
): (Part | string)[] {
  const { resource, readme, design } = project;
  const own = stretches.filter((stretch) => stretch.resource === resource);
  const limits = isOnly ? heights : shortHeights;
  const at = (path: string | undefined, startLine = 1) =>
    own.find((one) => one.path === path && one.startLine <= startLine && one.endLine >= startLine);
  const purpose: (Part | string)[] = [];
  const layout: (Part | string)[] = [];
  const start: (Part | string)[] = [];
  const about = at(readme);
  const intro = about === undefined ? [] : introduction(about, { from: 1, height: limits.readme });
  if (about !== undefined && intro.length > 0)
    purpose.push({ reason: `what it is, in \`${about.path}\``, stretch: about, pieces: intro });
  const designed = at(design?.path, design?.startLine);
  if (designed !== undefined && limits.design > 0) {
    const from = stagesIn(designed, question) ?? design?.startLine ?? 1;
    const pieces = introduction(designed, { from, height: limits.design, isWhole: true });
    if (pieces.length > 0)
      layout.push({ reason: `how it is put together, in \`${designed.path}\``, stretch: designed, pieces });
  }
  const focus = focusOf(question, new Set(ownWords(resource)));
  const described = describedParts(resource, results);
  if (project.folders.length > 0) layout.push(reportFolders(project, results));
  const list = isOnly ? partList(project, results) : undefined;
  const isShown = layout.some((one) => typeof one !== "string" && list !== undefined && hasMost(one, list));
  if (described.length > 1 && isOnly && (list === undefined || focus === "parts")) {
    const rows = [...writeParts(described, focus === "parts" ? rowsOfParts : fewRowsOfParts)];
    const text = `\nIts parts, as they describe themselves:\n\n${rows.join("")}`;
    layout.splice(focus === "parts" ? Number(isShown) : layout.length, 0, text);
  }
  if (list !== undefined && !isShown)
    layout.splice(focus === "parts" ? 0 : 1, 0, { reason: `its parts, in \`${list.stretch.path}\``, ...list });
  for (const { stretch, pieces } of factsOf(project, stretches))
    if (pieces.length > 0) start.push({ reason: `its manifest, \`${stretch.path}\``, stretch, pieces });
  const entries = entryPaths(project, { results, question }).slice(0, isOnly ? 2 : 1);
  const shown = new Set(
    entries
      .flatMap((path) => at(path) ?? [])
      .flatMap((entry) => [entry, ...nextOf(entry).flatMap((path) => at(path) ?? [])]),
  );
  const height = focus === "start" && isOnly ? heights.start : limits.entry;
  const reported = [...shown].map((entry) => reportEntry(entry, { own, height }));
  if (focus === "start") start.unshift(...reported.flat());
  else start.push(...reported.flat());
  if (focus === "start") return [...start, ...purpose, ...layout];
  return focus === "layout" || focus === "parts"
    ? [...layout, ...purpose, ...start]
    : [...purpose, ...layout, ...start];
}

/** Where a section about the stages begins, if a question is about those. */
function stagesIn({ lines, startLine }: Stretch, question: string): number | undefined {
  if (!/\b(?:stages|phases|passes|steps)\b/i.test(question)) return undefined;
  const said = ["stages|phases", "passes|steps"]
    .map((nouns) => new RegExp(manyStages(nouns), "i"))
    .map((pattern) => lines.findIndex((line) => pattern.test(line)))
    .find((at) => at !== -1);
  if (said === undefined) return undefined;
  const heading = lines.slice(0, said).findLastIndex((line) => /^#+ /.test(line));
  return startLine + Math.max(0, heading);
}

/** Whether an extract has most lines of another one. */
function hasMost(shown: Part, { stretch, pieces: [own] }: Omit<Part, "reason">): boolean {
  const inside = shown.pieces.map(
    ({ startLine, endLine }) => Math.min(endLine, own?.endLine ?? 0) - Math.max(startLine, own?.startLine ?? 0) + 1,
  );
  const height = own === undefined ? 0 : own.endLine - own.startLine + 1;
  return shown.stretch.target === stretch.target && 2 * Math.max(...inside) > height;
}

function reportFolders(project: Project, results: readonly ToolResult[]): string {
  const { folders, files } = project;
  const main = mainListing(project, results);
  const listNames = (names: readonly { name: string; fileCount?: number | undefined }[]) => {
    const [few, more] = [names.slice(0, foldersShown), names.length - foldersShown];
    const filled = few.map(({ name, fileCount }) =>
      fileCount === undefined ? `\`${name}\`` : `\`${name}/\` (${fileCount})`,
    );
    return filled.join(", ") + (more > 0 ? ` and ${more} more` : "");
  };
  const top = folders.filter(({ name }) => !name.startsWith(".")).toSorted((a, b) => b.fileCount - a.fileCount);
  const below = main?.entries ?? [];
  return [
    `\nFolders, with the number of files in each: ${listNames(top)}${top.length === 0 ? `${files.length} files` : ""}.\n`,
    ...(below.length > 1 ? [`\nIn \`${main?.path}/\`: ${listNames(below)}.\n`] : []),
  ].join("");
}

const foldersShown = 14;

/** The lines of a short entry point, or the definitions of a longer one. */
function reportEntry(
  stretch: Stretch,
  { own, height }: { own: readonly Stretch[]; height: number },
): (Part | string)[] {
  const { path, lines, endLine } = stretch;
  const rows = [...rowsOf(stretch, rowsOfEntry)];
  const mains = own
    .filter((one) => one.path === path)
    .flatMap((one) => [
      ...one.definitions.filter(({ name }) => /^_*main_*$/i.test(name)).map((main) => ({ one, main })),
      ...mainLinesIn(one).map((startLine) => ({ one, main: { startLine, endLine: one.endLine } })),
      ...calledAtEnd(one).map((main) => ({ one, main })),
    ]);
  if (lines.length <= height || mains.length + rows.length === 0) {
    const isAside = (line: string) => /^\s*(?:$|\/\*|\*|\/\/|#|["']use strict)/.test(line);
    const first =
      1 +
      Math.max(
        0,
        lines.findIndex((line) => !isAside(line)),
      );
    const pieces = [{ startLine: first, endLine: Math.min(endLine, first + height - 1) }];
    return [{ reason: `where it starts, \`${path}\``, stretch, pieces }];
  }
  const parts = mains.slice(0, 1).map(({ one, main }): Part => {
    const piece = { startLine: main.startLine, endLine: Math.min(main.endLine, main.startLine + height - 1) };
    return { reason: `where it starts, \`${path}\``, stretch: one, pieces: withCalled(piece, one, 2 * height) };
  });
  return [...parts, `\nIt starts in \`${path}\`, which defines:\n\n${rows.join("")}`];
}

/** The lines of a short function, with those of the functions below it that it calls, and of what those call. */
function withCalled(piece: LineRange, one: Stretch, height: number): LineRange[] {
  const pieces = [piece];
  let remaining = height - (piece.endLine - piece.startLine + 1);
  const isIn = ({ startLine }: LineRange) =>
    pieces.some((other) => startLine >= other.startLine && startLine <= other.endLine);
  const follow = (range: LineRange) => {
    const text = linesIn(one, range).join("\n");
    for (const called of one.definitions) {
      const isBelow = called.startLine > piece.endLine && !isIn(called);
      if (remaining < leastOfCalled || !isBelow || !occursCalled(called.name, text)) continue;
      const { startLine } = called;
      const own = { startLine, endLine: Math.min(called.endLine, startLine + remaining - 1) };
      pieces.push(own);
      remaining -= own.endLine - startLine + 1;
      follow(own);
    }
  };
  follow(piece);
  return joined(pieces, one);
}

const leastOfCalled = 8;

function occursCalled(name: string, text: string): boolean {
  return new RegExp(`(?<![\\w.])${literal(name)}\\(`).test(text);
}

/** The function of a script that its last line calls. */
function calledAtEnd({ lines, startLine, definitions }: Stretch): Stretch["definitions"] {
  const last = lines.findLastIndex((line) => /\w/.test(line));
  const name = /(?:^|[\s=])([\w$]+)\([^()]*\)\W*$/.exec(lines[last] ?? "")?.[1];
  return startLine > 1 ? [] : definitions.filter((one) => one.name === name && one.endLine < startLine + last);
}

function* writeSections(
  sections: readonly { project: Project; parts: readonly (Part | string)[] }[],
  introduce: (names: string) => string,
): Generator<string> {
  yield `Extracts, not an explanation: ${introduce(sections.map(({ project }) => project.resource).join(", "))}.\n`;
  let number = 0;
  for (const { project, parts } of sections) {
    if (sections.length > 1) yield `\n## ${project.resource}\n`;
    for (const part of parts) {
      if (typeof part === "string") yield part;
      else yield* writeExtract(part, ++number);
    }
  }
}
