import type { LineRange } from "../../protocol/citation.ts";
import { writeExtract } from "./answer.ts";
import type { ToolResult } from "./conversation.ts";
import { type Stretch, stretchesIn } from "./evidence.ts";
import type { Extract } from "./extracts.ts";
import { type Frame, sharedEnd } from "../../source/frames.ts";
import type { Call } from "./calls.ts";
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
    const files = listed.filter((file) => isOf(frame.path, file));
    const [best] = files.toSorted((a, b) => sharedEnd(b.path, frame.path) - sharedEnd(a.path, frame.path));
    return best === undefined ? [] : [{ frame, ...best }];
  });
}

export function readFrames(found: readonly FoundFrame[]): Call[] {
  return found.slice(0, framesShown).map(({ frame: { line }, resource, path }) => {
    const startLine = Math.max(1, line - linesRead);
    return { tool: "read", input: { resource, path, startLine, endLine: line + linesAfter } };
  });
}

/** Writes the lines that the frames name, innermost first, then the place that produces the message. */
export function* writeTrace(
  found: readonly FoundFrame[],
  { question, extracts, results }: { question: Question; extracts: readonly Extract[]; results: readonly ToolResult[] },
): Generator<string> {
  const stretches = stretchesIn(results);
  const shown: Shown[] = [];
  const short: string[] = [];
  for (const one of found.slice(0, framesShown)) {
    const extract = extractOf(one, stretches);
    if (extract === undefined) short.push(`\`${one.path}\` has no line ${one.frame.line}`);
    else if (!shown.some((other) => holds(other, extract))) shown.push(extract);
  }
  const made = extracts.filter(({ role }) => role.type === "message").slice(0, messagesShown);
  for (const extract of made) if (!shown.some((other) => holds(other, extract))) shown.push(extract);
  yield "Extracts, not an explanation: the lines that the trace names.\n";
  const missing = question.frames.filter((frame) => !found.some((one) => one.frame.path === frame.path));
  const names = [...new Set(missing.map(({ path }) => `\`${path}\``))].slice(0, framesShown);
  if (names.length > 0) yield `\nThe resources do not contain these files of the trace: ${names.join(", ")}.\n`;
  if (short.length > 0) yield `\nThe trace is from another version: ${short.join(", ")}.\n`;
  for (const [index, extract] of shown.entries()) yield* writeExtract(extract, index + 1);
}

type Shown = Pick<Extract, "stretch" | "pieces" | "reason">;

/** The first line of the function, and the frame's line with the lines around it. */
function extractOf({ frame: { line }, resource, path }: FoundFrame, stretches: readonly Stretch[]): Shown | undefined {
  const stretch = stretches.find((one) => {
    return one.resource === resource && one.path === path && one.startLine <= line && one.endLine >= line;
  });
  if (stretch === undefined) return undefined;
  const around = stretch.definitions.findLast((one) => one.line <= line && one.endLine >= line);
  const first = Math.max(stretch.startLine, around?.line ?? 1, line - linesBefore);
  const main = { startLine: first, endLine: Math.min(stretch.endLine, around?.endLine ?? Infinity, line + linesAfter) };
  const pieces: LineRange[] = [main];
  if (around !== undefined && around.line < first - 1) pieces.unshift({ startLine: around.line, endLine: around.line });
  else if (around !== undefined) main.startLine = around.line;
  return { stretch, pieces, reason: `line ${line}${around === undefined ? "" : `, in \`${around.name}\``}` };
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

/** A path below `node_modules` and the like only matches that package's file or its copy in the tree. */
function isOf(written: string, { resource, path }: { resource: string; path: string }): boolean {
  const inside = /.*\/(?:node_modules|site-packages|dist-packages)\/(.*)$/.exec(`/${written}`)?.[1];
  if (inside === undefined) return true;
  const [, name = "", own = ""] = /^((?:@[^/]+\/)?[^/]+)\/(.*)$/.exec(inside) ?? [];
  return `/${path}`.endsWith(`/${inside}`) || (resource.endsWith(name) && path === own);
}
