import type { LineRange } from "../../protocol/citation.ts";
import { formatMarker } from "../../protocol/passage.ts";
import { shorten } from "../../protocol/shorten.ts";
import { writeExtract } from "./answer.ts";
import { definitionAt, occurs, type Stretch, stretchesIn, stretchWith } from "./evidence.ts";
import { isTest } from "../../source/test-path.ts";
import type { Extract } from "./extracts.ts";
import { type Frame, mayName, sharedEnd } from "../../source/frames.ts";
import { findUses, usesOf } from "./callers.ts";
import { type Call, type Conversation, type Looking, lookUp, readLines, type ToolResult } from "./look.ts";
import type { Question } from "./question.ts";

/** A frame of a trace with its file in the snapshot. */
export interface FoundFrame {
  frame: Frame;
  resource: string;
  path: string;
}

/** How many frames are shown, innermost first. */
const framesShown = 5;
const messagesShown = 2;
const linesBefore = 4;
const linesAfter = 2;
/** The number of lines that are shown of a function that has moved. */
const linesOfMoved = 40;
const namesLooked = 3;
const usesShown = 8;
/** How many lines above a frame's line are read to find the start of its function. */
const linesRead = 80;

/** Looks for the files that the frames name. */
export function findFrames({ frames }: Question): Call[] {
  const patterns = frames.map(({ path }) => patternFor(path));
  return [...new Set(patterns)].map((pattern) => ({ tool: "glob", input: { pattern } }));
}

/** Assigns each frame to the file that shares the longest path suffix; drops frames without one. */
export function foundFrames({ frames }: Question, results: readonly ToolResult[]): FoundFrame[] {
  return frames.flatMap((frame) => {
    const pattern = patternFor(frame.path);
    const listed = results.find(({ tool, input }) => tool === "glob" && input["pattern"] === pattern)?.files ?? [];
    const files = listed.filter((file) => mayName(frame.path, file));
    const [best] = files.toSorted((a, b) => sharedEnd(b.path, frame.path) - sharedEnd(a.path, frame.path));
    return best === undefined ? [] : [{ frame, ...best }];
  });
}

/**
 * Reads the lines of the frames; then functions that are elsewhere in this version, or who uses what a diff changes.
 */
export function* lookAtTrace(
  found: readonly FoundFrame[],
  { question: { isDiff }, conversation }: { question: Question; conversation: Conversation },
): Looking<void> {
  const { results } = conversation;
  const shown = found.slice(0, framesShown);
  const reads = shown.map(({ frame: { line }, ...file }) => {
    const startLine = Math.max(1, line - linesRead);
    return readLines(file, startLine, line + linesAfter - startLine + 1);
  });
  const outlines = shown
    .filter(({ frame }) => frame.name !== undefined)
    .map(({ resource, path }): Call => ({ tool: "outline", input: { resource, path } }));
  yield* lookUp(conversation, `Looking at the lines that ${isDiff ? "the diff changes" : "the trace names"}.`, [
    ...reads,
    ...outlines,
  ]);
  const moved = shown.flatMap((one) => {
    const { startLine, endLine } = movedTo(one, results) ?? {};
    return startLine === undefined || endLine === undefined ? [] : [readLines(one, startLine, endLine - startLine + 1)];
  });
  yield* isDiff
    ? lookUp(
        conversation,
        "Looking at who uses what the diff changes.",
        changedNames(shown, stretchesIn(results)).map(findUses),
      )
    : lookUp(conversation, "Looking at the functions of the trace, which have moved.", moved);
}

/** Writes the lines that the frames name, innermost first, then the place that produces the message, or who uses it. */
export function* writeTrace(
  found: readonly FoundFrame[],
  { question, extracts, results }: { question: Question; extracts: readonly Extract[]; results: readonly ToolResult[] },
): Generator<string> {
  const stretches = stretchesIn(results);
  const shown: Shown[] = [];
  const short: string[] = [];
  for (const one of found.slice(0, framesShown)) {
    const { frame, path } = one;
    const moved = movedTo(one, results);
    const extract = moved === undefined ? extractOf(one, stretches) : extractOfMoved(one, { moved, stretches });
    if (moved !== undefined) short.push(`line ${frame.line} of \`${path}\` is not in \`${frame.name ?? ""}\``);
    else if (extract === undefined) short.push(`\`${path}\` has no line ${frame.line}`);
    if (extract !== undefined && !shown.some((other) => holds(other, extract))) shown.push(extract);
  }
  const made = extracts.filter(({ role }) => role.type === "message").slice(0, messagesShown);
  const others = made.filter((extract) => !shown.some((other) => holds(other, extract)));
  const [innermost] = found;
  const fits = innermost === undefined || movedTo(innermost, results) === undefined;
  const all = fits ? [...shown, ...others] : [...others, ...shown];
  yield `Extracts, not an explanation: ${question.isDiff ? "what the diff changes, and who uses it" : "the lines that the trace names"}.\n`;
  const missing = question.frames.filter((frame) => !found.some((one) => one.frame.path === frame.path));
  const names = [...new Set(missing.map(({ path }) => `\`${path}\``))].slice(0, framesShown);
  const text = question.isDiff ? "diff" : "trace";
  if (names.length > 0) yield `\nThe resources do not contain these files of the ${text}: ${names.join(", ")}.\n`;
  if (short.length > 0) yield `\nThe ${text} is from another version: ${short.join(", ")}.\n`;
  for (const [index, extract] of all.entries()) yield* writeExtract(extract, index + 1);
  if (question.isDiff) for (const name of changedNames(found, stretches)) yield* writeUses(name, results);
}

/** The functions and types that a diff changes; headings of documents are none. */
function changedNames(found: readonly FoundFrame[], stretches: readonly Stretch[]): string[] {
  const names = found.flatMap((one) => {
    const stretch = stretchOf(one, stretches);
    const own = stretch?.isDocument === false ? definitionAt(stretch, one.frame.line)?.name : undefined;
    return own ?? [];
  });
  return [...new Set(names)].slice(0, namesLooked);
}

function* writeUses(name: string, results: readonly ToolResult[]): Generator<string> {
  const found = usesOf(name, results);
  if (found === undefined) return;
  const uses = found.uses
    .filter(({ around }) => around !== name)
    .toSorted((a, b) => Number(isTest(a.path)) - Number(isTest(b.path)));
  const more = uses.length > usesShown ? `, ${usesShown} shown` : "";
  yield `\n\`${name}\` is used in ${found.isCut ? "at least " : ""}${uses.length} ${uses.length === 1 ? "other line" : "other lines"}${more}${uses.length === 0 ? "." : ":"}\n`;
  if (uses.length > 0) yield "\n";
  for (const { resource, path, line, text } of uses.slice(0, usesShown))
    yield `- \`${shorten(text.trim().replaceAll("`", "'"), 100)}\` ${formatMarker({ resource, path, startLine: line, endLine: line })}\n`;
}

/** Where the function of a frame is, if the frame's line is not in it: in another version, lines move. */
function movedTo(
  { frame: { name = "", line }, resource, path }: FoundFrame,
  results: readonly ToolResult[],
): LineRange | undefined {
  const outline = results.find(({ tool, input }) => {
    return tool === "outline" && input["resource"] === resource && input["path"] === path;
  });
  const rows = (outline?.definitions ?? []).filter(({ text }) => name !== "" && occurs(name, text));
  const isInside = rows.some((row) => row.line <= line && row.endLine >= line);
  const [row] = rows.toSorted((a, b) => Math.abs(a.line - line) - Math.abs(b.line - line));
  if (row === undefined || isInside) return undefined;
  return { startLine: row.line, endLine: Math.min(row.endLine, row.line + linesOfMoved - 1) };
}

function extractOfMoved(
  { frame: { name = "", line }, ...file }: FoundFrame,
  { moved, stretches }: { moved: LineRange; stretches: readonly Stretch[] },
): Shown | undefined {
  const stretch = stretchWith(stretches, file, moved);
  return stretch && { stretch, pieces: [moved], reason: `\`${name}\`, of which the trace names line ${line}` };
}

type Shown = Pick<Extract, "stretch" | "pieces" | "reason">;

/** The first line of the function, and the frame's line with the lines around it. */
function extractOf(one: FoundFrame, stretches: readonly Stretch[]): Shown | undefined {
  const { line } = one.frame;
  const stretch = stretchOf(one, stretches);
  if (stretch === undefined) return undefined;
  const around = definitionAt(stretch, line);
  const first = Math.max(stretch.startLine, around?.line ?? 1, line - linesBefore);
  const main = { startLine: first, endLine: Math.min(stretch.endLine, around?.endLine ?? Infinity, line + linesAfter) };
  const pieces: LineRange[] = [main];
  if (around !== undefined && around.line < first - 1) pieces.unshift({ startLine: around.line, endLine: around.line });
  else if (around !== undefined) main.startLine = around.line;
  return { stretch, pieces, reason: `line ${line}${around === undefined ? "" : `, in \`${around.name}\``}` };
}

function stretchOf({ frame: { line }, ...file }: FoundFrame, stretches: readonly Stretch[]): Stretch | undefined {
  return stretchWith(stretches, file, { startLine: line, endLine: line });
}

/** Whether the last piece of one extract is part of the other. */
function holds({ stretch, pieces }: Shown, other: Shown): boolean {
  const { startLine = 0, endLine = 0 } = other.pieces.at(-1) ?? {};
  return (
    stretch.target === other.stretch.target &&
    pieces.some((piece) => piece.startLine <= startLine && piece.endLine >= endLine)
  );
}

/** A glob for the file, in a folder with the same name anywhere, or at the root. */
function patternFor(path: string): string {
  const [name = "", folder] = path
    .split("/")
    .toReversed()
    .map((segment) => segment.replace(/[^\w.@ -]/g, "?"));
  if (folder === undefined || folder === "") return `**/${name}`;
  return `{**/${folder}/${name},${folder}/${name},${name}}`;
}
