import { CitewellError } from "../../errors.ts";
import { maskFound } from "../../source/mask.ts";
import { showInvisibleInLine } from "../../protocol/invisible.ts";
import { formatMarker, formatPassage, numberLines, type Passage } from "../../protocol/passage.ts";
import { formatScope } from "../../protocol/search.ts";
import type { Snapshot } from "../../resources/snapshot.ts";
import { formatRepeats } from "../../retrieval/repeats.ts";
import type { RankedPassage } from "../../retrieval/retrieval.ts";
import type { ToolContext } from "./define.ts";
import { formatUnshown, type LinesOf } from "./shown.ts";

/** The average of code, as the tokenizers of the providers count it. */
export const charactersPerToken = 4;
/** The length limit of a tool result in characters: about 6,000 tokens. */
export const resultLimit = 24_000;
/**
 * A longer line (minified code, data) is cut. It counts as shown: quotes are checked in the file.
 */
const lineLimit = 1000;
/** With less room than this a passage is not begun. */
const leastRoom = 300;

export interface FoundPassage {
  resource: string;
  path: string;
  startLine: number;
  lines: readonly string[];
  /** A line below the marker, above the lines. */
  caption?: string;
  /** Lines that are marked among the others, because they match. */
  matchLines?: readonly number[];
}

interface ShowOptions {
  ledger: ToolContext["ledger"];
  signal: AbortSignal | undefined;
}

/**
 * As many passages as fit into `limit` characters, in their order, and notes on those that are not or not wholly there.
 * Those of one file that follow each other are one block with `isJoined`, under one marker; of others, long runs of the
 * lines in `shown` are only named.
 */
export async function showPassages(
  snapshots: readonly Snapshot[],
  passages: readonly FoundPassage[],
  {
    limit = resultLimit,
    isJoined = false,
    shown: before,
    ...options
  }: ShowOptions & { limit?: number; isJoined?: boolean; shown?: LinesOf },
): Promise<{ blocks: string[]; passages: Passage[]; notes: string[] }> {
  const shownBlocks: Block[] = [];
  const shownPassages: Passage[] = [];
  const leftOut: string[] = [];
  const changed: string[] = [];
  let room = limit;
  const formatPart = (passage: Passage, caption?: string) => formatUnshown(passage, before?.(passage) ?? [], caption);
  for (const passage of passages) {
    const { resource, path, startLine, lines, caption, matchLines } = passage;
    const snapshot = snapshots.find((candidate) => candidate.resource === resource);
    if (snapshot === undefined) continue;
    const shown = room < leastRoom ? "no-room" : await tryToShow(snapshot, passage, { room, ...options });
    if (shown === "unreadable") {
      changed.push(`${resource}:${path}`);
      continue;
    }
    const lastLine = startLine + lines.length - 1;
    const nextLine = shown === "no-room" ? startLine : shown.endLine + 1;
    if (nextLine <= lastLine) leftOut.push(formatMarker({ resource, path, startLine: nextLine, endLine: lastLine }));
    if (shown === "no-room") continue;
    const last = shownBlocks.at(-1);
    const part = {
      passage: shown.passage,
      caption: caption === undefined ? undefined : showInvisibleInLine(caption),
      matchLines,
    };
    if (isJoined && last !== undefined && isOfFile(last, shown.passage)) last.push(part);
    else shownBlocks.push([part]);
    shownPassages.push(shown.passage);
    room -= formatPart(shown.passage).length + (caption?.length ?? 0);
  }
  const blocks = shownBlocks.map((block) => writeBlock(block, formatPart));
  const notes = [
    ...noteWhen(leftOut.length > 0, `no room for ${namedFew(leftOut, 10)}; use read to see them`),
    ...noteWhen(changed.length > 0, `changed on disk, not shown: ${namedFew(changed)}`),
  ];
  return { blocks, passages: shownPassages, notes };
}

/**
 * Lines as the model sees them, under their marker: secrets masked, invisible characters shown, as many lines as fit
 * into `room` characters. Exactly those go into the ledger. Undefined where not even the first one fits.
 * @throws FileNotReadable (changed on disk since the snapshot was opened)
 */
async function showPassage(
  snapshot: Snapshot,
  { path, startLine, lines }: Omit<FoundPassage, "resource" | "caption">,
  { room, ledger, signal }: ShowOptions & { room: number },
): Promise<{ text: string; passage: Passage; endLine: number } | undefined> {
  const { resource } = snapshot;
  const file = await snapshot.read(path, { signal });
  const masked = maskFound({ startLine, lines }, file.lines).map(cutLine);
  const whole = formatPassage({ resource, path, startLine, lines: masked });
  const fitting = whole.length <= room ? masked : masked.slice(0, countWholeLines(whole.slice(0, room)));
  if (fitting.length === 0) return undefined;
  const endLine = startLine + fitting.length - 1;
  ledger.show({ resource, path, startLine, endLine });
  const passage = { resource, path, startLine, lines: fitting };
  return { text: formatPassage(passage), passage, endLine };
}

/** Passages under one marker. */
type Block = { passage: Passage; caption: string | undefined; matchLines: readonly number[] | undefined }[];

function isOfFile([first]: Block, { resource, path }: Passage): boolean {
  return first?.passage.resource === resource && first.passage.path === path;
}

/**
 * The marker covers all passages; a caption that repeats the one before is left out, and `…` stands for lines between.
 */
function writeBlock(parts: Block, formatPart: (passage: Passage, caption?: string) => string): string {
  const [first, ...others] = parts;
  if (first === undefined) return "";
  if (others.length === 0 && first.matchLines === undefined) return formatPart(first.passage, first.caption);
  const { resource, path } = first.passage;
  const lines = parts.map(({ passage }) => ({
    startLine: passage.startLine,
    endLine: passage.startLine + passage.lines.length - 1,
  }));
  const startLine = Math.min(...lines.map((range) => range.startLine));
  const endLine = Math.max(...lines.map((range) => range.endLine));
  const written = parts.flatMap(({ passage, caption, matchLines = [] }, index) => {
    const isSame = index > 0 && caption === parts[index - 1]?.caption;
    const head = isSame ? "…" : (caption ?? (index === 0 ? undefined : "at the top level:"));
    return [...(head === undefined ? [] : [head]), ...numberLines(passage, marksAmong(passage, matchLines))];
  });
  return [formatMarker({ resource, path, startLine, endLine }), ...written].join("\n");
}

/** `docs, matches retry, in Retries (lines 10-40):`, the heading of a passage. */
export function captionOf(passage: Pick<RankedPassage, "kind" | "reason" | "scope" | "repeats">): string {
  const { scope, repeats } = passage;
  const also = repeats === undefined ? "" : `, ${formatRepeats(repeats, formatMarker)}`;
  return `${whyOf(passage)}${also}${scope.length === 0 ? "" : `, in ${formatScope(scope)}`}:`;
}

/** Most passages are code. */
export function whyOf({ kind, reason }: Pick<RankedPassage, "kind" | "reason">): string {
  return kind === "code" ? reason : `${kind}, ${reason}`;
}

/** Lines are marked only among others. */
function marksAmong({ lines }: Passage, matchLines: readonly number[]): ReadonlySet<number> {
  return new Set(matchLines.length < lines.length ? matchLines : []);
}

/** A remark of ours below what was found; it is no part of any file. */
export function note(text: string): string {
  return `(${showInvisibleInLine(text)})`;
}

export function noteWhen(condition: boolean, text: string): string[] {
  return condition ? [note(text)] : [];
}

/**
 * A number that a model gave, within the limits of a tool, and a note if it was not: to refuse it would cost a call.
 */
export function clamp(
  name: string,
  value: number | undefined,
  { min, max, usual }: { min: number; max: number; usual: number },
): { value: number; notes: string[] } {
  const clamped = Math.min(max, Math.max(min, value ?? usual));
  const isChanged = value !== undefined && value !== clamped;
  return { value: clamped, notes: noteWhen(isChanged, `${name} is ${min} to ${max}: ${clamped} was taken`) };
}

/** The first lines of a long list that fit into one result. */
export function fitLines(lines: readonly string[]): readonly string[] {
  let length = 0;
  const end = lines.findIndex((line) => (length += line.length + 1) > resultLimit);
  return end === -1 ? lines : lines.slice(0, end);
}

/** The first few of a list, and how many more there are. */
export function namedFew(names: readonly string[], limit = 3): string {
  const more = names.length - limit;
  return names.slice(0, limit).join(", ") + (more > 0 ? `, and ${more} more` : "");
}

async function tryToShow(snapshot: Snapshot, passage: FoundPassage, options: ShowOptions & { room: number }) {
  try {
    return (await showPassage(snapshot, passage, options)) ?? "no-room";
  } catch (error) {
    if (error instanceof CitewellError && error.tag === "FileNotReadable") return "unreadable";
    throw error;
  }
}

/** Cuts by code points: half of a surrogate pair is no text. */
function cutLine(line: string): string {
  return line.length <= lineLimit ? line : `${/^.{0,1000}/su.exec(line)?.[0] ?? ""}…`;
}

/** Of the beginning of a block, whose first line is the marker and whose last line may be cut. */
function countWholeLines(beginning: string): number {
  return Math.max(0, beginning.split("\n").length - 2);
}
