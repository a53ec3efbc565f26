import type { LineRange } from "../../protocol/citation.ts";
import { writeExtract } from "./answer.ts";
import type { ToolResult } from "./conversation.ts";
import { type Stretch, stretchesIn } from "./evidence.ts";
import type { Extract } from "./extracts.ts";
import type { Frame } from "./frames.ts";
import type { Call } from "./calls.ts";
import type { Question } from "./question.ts";

/** A frame of a trace as the tree has it. */
export interface FoundFrame {
  frame: Frame;
  resource: string;
  path: string;
}

/** The innermost say where it failed; those further out, how the program came there. */
const framesShown = 5;
const messagesShown = 2;
const linesBefore = 4;
const linesAfter = 2;
/** A function may begin so far above the line. */
const linesRead = 80;

/** Looks for the files that the frames name. */
export function findFrames({ frames }: Question): Call[] {
  const patterns = frames.map(({ path }) => patternFor(path));
  return [...new Set(patterns)].map((pattern) => ({ tool: "glob", input: { pattern } }));
}

/** The frames whose files were found, each in the file that shares most of its path. */
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

/** The lines that the frames name, the innermost first, and then where the message is made. */
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
  if (names.length > 0) yield `\nIts other files are not here: ${names.join(", ")}.\n`;
  if (short.length > 0) yield `\nIt is of another version: ${short.join(", ")}.\n`;
  for (const [index, extract] of shown.entries()) yield* writeExtract(extract, index + 1);
}

type Shown = Pick<Extract, "stretch" | "pieces" | "reason">;

/** The head of the function, and the line with what is around it. */
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

/** Whether the last lines of one, which are those it is about, stand in the other. */
function holds({ stretch, pieces }: Shown, other: Shown): boolean {
  const { startLine = 0, endLine = 0 } = other.pieces.at(-1) ?? {};
  return (
    stretch.target === other.stretch.target &&
    pieces.some((piece) => piece.startLine <= startLine && piece.endLine >= endLine)
  );
}

/** The file in its folder wherever that lies, or at the top. */
function patternFor(path: string): string {
  const [name = "", folder] = path
    .split("/")
    .toReversed()
    .map((segment) => segment.replace(/[^\w.@ -]/g, "?"));
  if (folder === undefined || folder === "") return `**/${name}`;
  return `{**/${folder}/${name},${folder}/${name},${name}}`;
}

/** What a package manager put there is that package's file, or a copy of it in the tree, and no other of that name. */
function isOf(written: string, { resource, path }: { resource: string; path: string }): boolean {
  const inside = /.*\/(?:node_modules|site-packages|dist-packages)\/(.*)$/.exec(`/${written}`)?.[1];
  if (inside === undefined) return true;
  const [, name = "", own = ""] = /^((?:@[^/]+\/)?[^/]+)\/(.*)$/.exec(inside) ?? [];
  return `/${path}`.endsWith(`/${inside}`) || (resource.endsWith(name) && path === own);
}

/** How many segments at the end of two paths are the same. */
function sharedEnd(a: string, b: string): number {
  const [own, other] = [a.split("/").toReversed(), b.split("/").toReversed()];
  const end = own.findIndex((segment, index) => segment !== other[index]);
  return end === -1 ? own.length : end;
}
