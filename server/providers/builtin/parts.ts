import type { LineRange } from "../../protocol/citation.ts";
import { firstSentence, introduction } from "../../source/introduction.ts";
import { isAside } from "../../source/test-path.ts";
import { shorten } from "../../protocol/shorten.ts";
import { numbersOf } from "./excerpt-context.ts";
import { markerOf, type Stretch, stretchesIn } from "./evidence.ts";
import { type Call, isResultOf, literal, readLines, type ToolResult } from "./look.ts";

/** A folder of a project, and the lines that say what it is. */
export interface DescribedPart {
  folder: string;
  text: string;
  stretch: Stretch;
  lines: LineRange;
}

/** Manifests, and files that describe a package or module of Go, Rust or Python, at most two folders deep. */
const describedFiles =
  "{*,*/*}/{package.json,Cargo.toml,pyproject.toml,composer.json,pom.xml,*.gemspec,*.csproj,*.go,{mod,lib}.rs,__init__.py}";
/** A description in a manifest, or the first line of the comment on a package or module. */
const description = String.raw`^(?:(?:\t| {0,4}|\{.*)"description"\s*:\s*"|description\s*=\s*["']|\s+<[dD]escription>\s*|\s*\w+\.(?:summary|description)\s*=\s*["'])(\w[^"'<#{]{7,})|^(?:// Package \w+ |//! |"""(?=\w))(.{8,})`;
const describes = new RegExp(description);
const linesFound = 200;

const readmeFiles = "{*,*/*}/{README,Readme,readme}.{md,markdown,rst,adoc}";
const readmesRead = 10;
const readmeLines = 40;

/** Looks for what describes the folders of a project. */
export function findParts(resource: string): Call[] {
  return [
    { tool: "grep", input: { pattern: description, regex: true, glob: describedFiles, resource, limit: linesFound } },
    { tool: "glob", input: { pattern: readmeFiles, resource } },
  ];
}

/** Reads the READMEs of folders, which say more than manifests. */
export function readPartReadmes(resource: string, results: readonly ToolResult[]): Call[] {
  return readmesOf(resource, results)
    .slice(0, readmesRead)
    .map((path) => readLines({ resource, path }, 1, readmeLines));
}

/** The READMEs of folders, without those of tests, examples and copied projects. */
function readmesOf(resource: string, results: readonly ToolResult[]): string[] {
  const [, call] = findParts(resource);
  const found = results.filter((result) => call !== undefined && isResultOf(call, result));
  return found.flatMap(({ files }) => files.map(({ path }) => path)).filter((path) => !isAside(path));
}

/** The folders that are described, each by its README if that was read, else by its manifest or the comment on its package. */
export function describedParts(resource: string, results: readonly ToolResult[]): DescribedPart[] {
  const [search] = findParts(resource);
  const matches = stretchesIn(results.filter((result) => search !== undefined && isResultOf(search, result)));
  const readmes = new Set(readmesOf(resource, results));
  const read = stretchesIn(results.filter(({ tool }) => tool === "read")).filter(
    (one) => one.resource === resource && readmes.has(one.path),
  );
  const described = [...read.flatMap(introducedIn), ...matches.flatMap(describedIn)];
  const parts = new Map<string, DescribedPart>();
  for (const part of described) {
    if (!isAside(part.stretch.path) && !parts.has(part.folder)) parts.set(part.folder, part);
  }
  return [...parts.values()].toSorted((a, b) => a.folder.localeCompare(b.folder, "en"));
}

/** The names of the parts: of the folders that are described, and of those in the main folder. */
export function partNames(folders: readonly string[], resource: string, results: readonly ToolResult[]): string[] {
  const described = describedParts(resource, results).map(({ folder }) => folder.slice(folder.lastIndexOf("/") + 1));
  return [...new Set([...folders, ...described])].filter((name) => /^\w[\w.-]{2,}$/.test(name)).toSorted();
}

/** Looks for the items, table rows and headings of documents that begin with the name of a part. */
export function findPartList(names: readonly string[], resource: string): Call[] {
  if (names.length < leastListed) return [];
  let own = "";
  for (const name of names)
    if (own.length + name.length < namesLength) own += `${own === "" ? "" : "|"}${literal(name)}`;
  const pattern = String.raw`^(?:\s*(?:[-*+]|\d+\.)\s+|\s*\||#{2,5}\s)[\s\x60*_"\[(]{0,6}(?:@?[\w.-]+/){0,3}(?:${own})(?:/?["\x60*_\])/]|\s|:|$)`;
  const input = { pattern, regex: true, glob: listFiles, resource, limit: linesFound, contextLines: linesAround };
  return [{ tool: "grep", input }];
}

/** Change logs name parts, too, hundreds of times. */
const listFiles =
  "{,.github/,doc/,docs/,{doc,docs}/*/}{README,Readme,readme,CONTRIBUTING,Contributing,contributing,DEVELOP*,[Dd]evelop*,HACKING,AGENTS,CLAUDE,MAINTAIN*,ARCHITECTURE,*rchitecture*,*internals*,*structure*,*layout*,*overview*,index}.{md,mdx,markdown,rst,adoc}";
const namesLength = 700;
const linesAround = 4;
const leastListed = 3;
const mostLines = 44;

/** The list in a document that names most of the parts, with what introduces it. */
export function partListIn(names: readonly string[], resource: string, results: readonly ToolResult[]) {
  const [call] = findPartList(names, resource);
  if (call === undefined) return undefined;
  const first = new RegExp(String(call.input["pattern"]));
  const lists = stretchesIn(results.filter((result) => isResultOf(call, result))).flatMap((stretch) => {
    if (isAside(stretch.path.replace(/^\.github\//, ""))) return [];
    const at = stretch.lines.flatMap((line, index) => (first.test(line) ? [index] : []));
    const named = names.filter((name) => at.some((index) => wordsOf(stretch.lines[index] ?? "").includes(name)));
    const [start = 0, end = 0] = [at[0], at.at(-1)];
    const pieces = [
      {
        startLine: stretch.startLine + Math.max(0, start - linesAround),
        endLine: stretch.startLine + Math.min(end + linesAround, start + mostLines, stretch.lines.length - 1),
      },
    ];
    return named.length < leastListed || named.length * 3 < names.length
      ? []
      : [{ stretch, pieces, count: named.length }];
  });
  return lists.toSorted((a, b) => b.count - a.count || a.stretch.path.length - b.stretch.path.length)[0];
}

/** The first words of an item, with all parts of a path. */
function wordsOf(line: string): string[] {
  return line.slice(0, 100).split(/[^\w.-]+/);
}

/** One row for each part, with its citation. */
export function* writeParts(parts: readonly DescribedPart[], limit: number): Generator<string> {
  for (const { folder, text, stretch, lines } of parts.slice(0, limit)) {
    yield `- \`${folder}\`: “${shorten(text, 200)}” ${markerOf(stretch, lines)}\n`;
  }
  if (parts.length > limit) yield `- and ${parts.length - limit} more\n`;
}

function describedIn(stretch: Stretch): DescribedPart[] {
  return stretch.lines.flatMap((line, index) => {
    const [, own, comment] = describes.exec(line) ?? [];
    const text = own ?? comment;
    if (text === undefined) return [];
    const at = stretch.startLine + index;
    return [{ folder: folderOf(stretch.path), text: plain(text), stretch, lines: { startLine: at, endLine: at } }];
  });
}

/** The first sentence of a README. */
function introducedIn(stretch: Stretch): DescribedPart[] {
  const pieces = introduction(stretch, { from: stretch.startLine, height: readmeLines });
  const numbers = pieces.flatMap(({ startLine, endLine }) => numbersOf(startLine, endLine));
  const lineAt = (number: number) => stretch.lines[number - stretch.startLine] ?? "";
  const first = numbers.find(
    (number) =>
      /^[\p{L}*_[`(]/u.test(lineAt(number)) &&
      !/^\[?!\[/.test(lineAt(number)) &&
      !/^\W*(?:please|note|see)\b/i.test(lineAt(number)) &&
      !isUnderlined(lineAt(number + 1)),
  );
  if (first === undefined) return [];
  const [paragraph = ""] = stretch.lines
    .slice(first - stretch.startLine)
    .join("\n")
    .split(/\n\s*\n/);
  const sentence = firstSentence(paragraph);
  const lines = { startLine: first, endLine: first + sentence.split("\n").length - 1 };
  return [{ folder: folderOf(stretch.path), text: plain(sentence), stretch, lines }];
}

function isUnderlined(next: string): boolean {
  return /^(?:={3,}|-{3,})\s*$/.test(next);
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

/** Without markup, on one line. */
function plain(text: string): string {
  return text
    .replaceAll(/!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, "$1")
    .replace(/^#+ |"""$/g, "")
    .replace(/\s+/g, " ")
    .replaceAll("[[", "[ [")
    .trim();
}
