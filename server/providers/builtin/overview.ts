import type { LineRange } from "../../protocol/citation.ts";
import { shorten } from "../../protocol/shorten.ts";
import { formatMarker } from "../../protocol/passage.ts";
import { writeExtract } from "./answer.ts";
import { definitionAt, type Hit, markerOf, type Stretch, stretchesIn, stretchWith } from "./evidence.ts";
import { firstSentence, introduction } from "../../source/introduction.ts";
import { asked, it, who, withIt } from "../../source/question-forms.ts";
import { isTest } from "../../source/test-path.ts";
import { chooseLines } from "./excerpt.ts";
import { type Call, type Conversation, isResultOf, type Looking, lookUp, readLines, type ToolResult } from "./look.ts";
import { readmeName } from "./project.ts";
import { plainHeading } from "./role.ts";
import { ownWords, type Question } from "./question.ts";

/** A file or a folder that a question is about as a whole. */
export type Whole =
  | { type: "file"; resource: string; path: string }
  | { type: "folder"; resource: string; path: string; files: string[]; folders: string[] };

/** How many files of a folder are read; the others are only named. */
const filesRead = 12;
const linesOfEach = 60;
/** The maximum of one `read` call. */
const linesOfFile = 400;
const mostRows = 30;
const fewLines = 30;
const documentsShown = 2;
const linesOfReadme = 26;
const firstLine: LineRange = { startLine: 1, endLine: 1 };

/** The file or folder that the question is about, if `glob` or `list` found it. */
export function findWhole(question: Question, results: readonly ToolResult[]): Whole | undefined {
  if (!question.isAboutPath) return undefined;
  for (const { files, folders } of results) {
    const whole = shortestPath(files) ?? wholeFolder(folders);
    if (whole !== undefined) return whole;
  }
  return undefined;
}

/** Asks for examples, not for one of something. */
const asksForExamples = asked(
  String.raw`^\W*(?:where(?:['’]?s| is| are| can ${who} (?:find|see|get))|(?:is|are) there|do (?:you|we) have|show me|give me)(?: (?:an?|the|any|some|more|full|complete|working|code|runnable|simple))* (?:examples?|samples?|demos?)(?: (?:code|project|app|application|program)s?)?(?: (?:for|of|with) ${it}| in (?:here|${it}))?(?:,? (?:that |which )?${who} (?:can|could|should) (?:\w+ ?){1,3}(?:at|from)?)?\W*$`,
);
const exampleFolders = ["examples", "example", "samples", "demos", "_examples", "docs/examples", "sample", "demo"];

/** Looks for the folder of examples if the question asks for them. */
export function* lookForExamples(conversation: Conversation): Looking<Whole | undefined> {
  const own = new Set(conversation.resources.flatMap(ownWords));
  if (!asksForExamples.test(withIt(conversation.question, own))) return undefined;
  const find: Call = { tool: "glob", input: { pattern: `{${exampleFolders.join(",")}}/**` } };
  yield* lookUp(conversation, "Looking for a folder of examples.", [find]);
  const files = conversation.results.filter((one) => isResultOf(find, one)).flatMap((one) => one.files);
  const path = exampleFolders.find((folder) => files.some((file) => file.path.startsWith(`${folder}/`)));
  if (path === undefined) return undefined;
  const inside = files.filter((file) => file.path.startsWith(`${path}/`));
  const [first] = inside;
  if (first === undefined) return undefined;
  const names = inside
    .filter(({ resource }) => resource === first.resource)
    .map((file) => file.path.slice(path.length + 1));
  const byDepth = names.toSorted((a, b) => a.split("/").length - b.split("/").length);
  return {
    type: "folder",
    resource: first.resource,
    path,
    files: byDepth.toSorted((a, b) => orderOf(a) - orderOf(b)),
    folders: [],
  };
}

/** Looks at the outline and lines of a file, or the beginnings of the files in a folder. */
export function* lookInto(whole: Whole, conversation: Conversation): Looking<void> {
  const { resource, path } = whole;
  if (whole.type === "file") {
    const calls = [{ tool: "outline", input: { resource, path } } as const, readLines(whole, 1, linesOfFile)];
    yield* lookUp(conversation, `Looking at what ${path} defines.`, calls);
  } else {
    const files = whole.files.slice(0, filesRead).map((file) => ({ resource, path: `${path}/${file}` }));
    const reads = files.map((file) => readLines(file, 1, linesOfEach));
    yield* lookUp(conversation, `Looking at how the files in ${path} begin.`, reads);
  }
}

/** Lists the definitions of a file or the files of a folder, each with its comment, then documents that mention it. */
export function* writeOverview(
  whole: Whole,
  { question, hits, results }: { question: Question; hits: readonly Hit[]; results: readonly ToolResult[] },
): Generator<string> {
  const stretches = stretchesIn(results);
  const named = documentsNaming(whole, { question, hits });
  let number = 0;
  if (whole.type === "folder") number = yield* writeFolder(whole, stretches);
  else {
    const own = stretchWith(stretches, whole, firstLine);
    const outline = results.find(({ tool, input }) => tool === "outline" && input["path"] === whole.path);
    yield* writeFile(whole, { own, rows: outline?.definitions ?? [] });
  }
  if (named.length > 0) yield "\nDocuments name it:\n";
  for (const extract of named) yield* writeExtract(extract, ++number);
}

type Row = ToolResult["definitions"][number];

function* writeFile(
  { resource, path }: Whole,
  { own, rows }: { own: Stretch | undefined; rows: readonly Row[] },
): Generator<string> {
  const shown = rowsToShow(rows);
  if (own !== undefined && (own.lines.length <= fewLines || shown.length === 0)) {
    const endLine = Math.min(own.endLine, fewLines);
    const reason = own.lines.length <= fewLines ? `the whole of \`${path}\`` : `the beginning of \`${path}\``;
    yield `Extracts, not an explanation: the lines of the file.\n`;
    yield* writeExtract({ stretch: own, pieces: [{ startLine: 1, endLine }], reason }, 1);
    return;
  }
  if (shown.length === 0) {
    yield `\`${path}\` could not be read.\n`;
    return;
  }
  yield `Extracts, not an explanation: what \`${path}\` defines, in its order, and what its comments say of it.\n\n`;
  for (const row of shown.slice(0, mostRows)) yield writeRow(row, { resource, path, own });
  if (shown.length > mostRows) yield `- and ${shown.length - mostRows} more below\n`;
}

function writeRow(
  row: Row,
  { resource, path, own }: { resource: string; path: string; own: Stretch | undefined },
): string {
  const isRead = own !== undefined && own.endLine >= row.endLine;
  const marker = formatMarker({ resource, path, startLine: row.line, endLine: isRead ? row.endLine : row.line });
  const comment = own === undefined ? undefined : commentOn(row.line, own);
  return `${"  ".repeat(row.depth)}- \`${headOf(row.text)}\`${describe(comment)} ${marker}\n`;
}

/** The first top-level definitions in these lines, or those in the only one, one row each. */
export function* rowsOf(own: Stretch, limit: number): Generator<string> {
  const { resource, path, definitions, lines, startLine } = own;
  const topOf = (some: Stretch["definitions"]) =>
    some.filter((one) => !some.some((other) => other.line < one.line && other.endLine >= one.line));
  const top = topOf(definitions);
  const inner = top.length === 1 ? topOf(definitions.filter((one) => one !== top[0])) : [];
  const rows = (inner.length > 1 ? inner : top).map(({ line, endLine }) => ({
    line,
    endLine,
    depth: 0,
    text: (lines[line - startLine] ?? "").trim(),
  }));
  for (const row of rowsToShow(rows).slice(0, limit)) yield writeRow(row, { resource, path, own });
}

/** The top-level definitions, and their members if there are few. */
function rowsToShow(rows: readonly Row[]): Row[] {
  const telling = rows.filter(({ text }) => !alias.test(text) && !/^#\s*(?:define|undef)\b/.test(text));
  const informative = telling.length > 0 ? telling : rows;
  const top = informative.filter(({ depth }) => depth === 0);
  if (top.length > fewTop) return top;
  const isType = (row: Row) =>
    /\b(?:class|interface|trait|impl|struct|enum|object|module|namespace)\b|^#/.test(row.text);
  let inType = false;
  return informative.filter((row) => {
    if (row.depth === 0) inType = isType(row);
    return row.depth === 0 || (row.depth === 1 && inType);
  });
}

const fewTop = 4;
/** Matches an alias such as `var resolve = path.resolve;`. */
const alias = /^(?:const|let|var)\s+[\w$]+\s*=\s*[\w$.]+;?$/;

/** Returns the number of extracts. */
function* writeFolder(
  { resource, path, files, folders }: Whole & { type: "folder" },
  stretches: readonly Stretch[],
): Generator<string, number> {
  yield `Extracts, not an explanation: what is in \`${path}\`, and how its files begin.\n`;
  const shown = new Set<string>();
  const readme = files.find((file) => readmeName.test(file));
  const said =
    readme === undefined ? undefined : stretchWith(stretches, { resource, path: `${path}/${readme}` }, firstLine);
  const pieces = said === undefined ? [] : introduction(said, { from: 1, height: linesOfReadme, isWhole: true });
  if (said !== undefined && readme !== undefined && pieces.length > 0) {
    shown.add(readme);
    yield* writeExtract({ stretch: said, pieces, reason: `what \`${path}\` is, in its README` }, 1);
  }
  yield "\n";
  for (const file of files.slice(0, filesRead).filter((one) => !shown.has(one))) {
    const own = stretchWith(stretches, { resource, path: `${path}/${file}` }, firstLine);
    const first = own?.definitions.map((one) => ({ ...one, comment: commentOn(one.line, own) }));
    const chosen = first?.find(({ comment }) => comment !== undefined) ?? first?.[0];
    if (own === undefined || chosen === undefined) continue;
    shown.add(file);
    yield `- \`${file}\`: \`${chosen.name}\`${describe(chosen.comment)} ${markerOf(own, { startLine: chosen.startLine, endLine: Math.min(chosen.endLine, own.endLine) })}\n`;
  }
  const others = [...folders, ...files.filter((file) => !shown.has(file))].map((name) => `\`${name}\``);
  if (others.length > 0)
    yield `- ${shown.size > 0 ? "and " : ""}${others.slice(0, 60).join(", ")}${others.length > 60 ? ", …" : ""}\n`;
  return pieces.length > 0 ? 1 : 0;
}

/** Passages of documents that contain the path. */
function documentsNaming({ path }: Whole, { question, hits }: { question: Question; hits: readonly Hit[] }) {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const stems = question.words.flatMap((word) => word.stems);
  const sought = { ...question, words: [{ word: path, stems, isStrong: true }], names: [] };
  const found = hits.flatMap((hit) => {
    const { stretch } = hit;
    const line = stretch.lines.findIndex((text) => text.includes(path) || (name.includes(".") && text.includes(name)));
    if (!stretch.isDocument || line === -1 || stretch.path === path) return [];
    const at = stretch.startLine + line;
    const chosen = chooseLines({ ...hit, startLine: at, endLine: at }, sought);
    const section = definitionAt(stretch, at);
    const reason = section === undefined ? `names \`${path}\`` : `documents “${plainHeading(section.name)}”`;
    return chosen === undefined ? [] : [{ stretch, pieces: chosen.pieces, reason }];
  });
  const distinct = new Map(
    found.map((extract) => [`${extract.stretch.target} ${JSON.stringify(extract.pieces)}`, extract]),
  );
  return [...distinct.values()].slice(0, documentsShown);
}

/** The file nearest to the root. */
function shortestPath(files: ToolResult["files"]): Whole | undefined {
  const [first] = files.toSorted((a, b) => a.path.split("/").length - b.path.split("/").length);
  return first === undefined ? undefined : { type: "file", ...first };
}

function wholeFolder([first]: ToolResult["folders"]): Whole | undefined {
  if (first === undefined) return undefined;
  const { resource, path, entries } = first;
  const files = entries.filter(({ fileCount }) => fileCount === undefined).map(({ name }) => name);
  const folders = entries.filter(({ fileCount }) => fileCount !== undefined).map(({ name }) => `${name}/`);
  return {
    type: "folder",
    resource,
    path,
    // The README is read first, and tests and data last.
    files: files.toSorted((a, b) => orderOf(a) - orderOf(b)),
    folders,
  };
}

function orderOf(file: string): number {
  return readmeName.test(file) ? 0 : isTest(file) || data.test(file) ? 2 : 1;
}

const data = /\.(?:txt|png|svg|jpe?g|gradle|kts|json|lock|toml|xml|cmake)$|(?:^|\/)CMakeLists/;

function headOf(text: string): string {
  return shorten(text.replace(/\s*(?:\{|=>|=|:|\()?\s*$/, ""), 100).replaceAll("`", "'");
}

function describe(comment: string | undefined): string {
  return comment === undefined ? "" : `: “${comment}”`;
}

/** The first sentence of the comment above a definition, or of a Python docstring. */
function commentOn(line: number, { lines, startLine, definitions }: Stretch): string | undefined {
  const definition = definitions.find((one) => one.line === line);
  if (definition === undefined) return undefined;
  const above = lines.slice(definition.startLine - startLine, line - startLine);
  const below = lines.slice(line - startLine + 1, line - startLine + 8).join("\n");
  const inside = /^\s*[rbf]?("""|''')([^]*?)(?:\1|$)/.exec(below)?.[2] ?? "";
  const text = above
    .filter((text) => !/^\s*(?:@|#!?\[|\[)/.test(text))
    .map((text) => text.replace(/^\s*(?:\/\*+|\*+\/|\*|\/\/[/!]?|#+|--)\s?/, "").replace(/\s*\*+\/\s*$/, ""));
  const [paragraph = ""] = (text.join("\n").trim() || inside.trim()).split(/\n\s*(?:\n|@)|^@/);
  const flat = firstSentence(paragraph).replace(/\s+/g, " ").replaceAll("[[", "[ [").trim();
  return flat === "" ? undefined : shorten(flat, 200);
}
