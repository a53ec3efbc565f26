import type { WalkedFile } from "../resources/walk.ts";
import type { PartRange } from "./text-parts.ts";
import type { TextOutcome, TextQuery } from "./text-search.ts";

/** Files for a thread to search. */
export interface SearchMessage {
  query: TextQuery;
  /** Of the tree, a real path. */
  root: string;
  files: PackedFiles;
  /** How many matching lines are told, and how many counted. */
  limit: number;
  enough: number;
  /** For how long: the files that are left when it is over have no answer. */
  timeMs: number;
}

export interface FileToSearch extends Pick<WalkedFile, "path" | "target" | "stamp"> {
  /** Where its literals may begin; undefined for anywhere. */
  ranges?: readonly PartRange[] | undefined;
}

/** A list of objects takes ten times as long to send. */
export interface PackedFiles {
  paths: string[];
  targets: string[];
  /** Of each file its size, its time and its number on the disk. */
  stamps: Float64Array<ArrayBuffer>;
  /** Of each file 0, or 1 + its ranges, and these, three numbers each. */
  ranges: Uint32Array<ArrayBuffer>;
}

export function packFiles(files: readonly FileToSearch[]): PackedFiles {
  const stamps = new Float64Array(3 * files.length);
  const numbers: number[] = [];
  for (const [index, { stamp, ranges }] of files.entries()) {
    stamps.set([stamp.sizeBytes, stamp.mtimeMs, stamp.ino], 3 * index);
    numbers.push(ranges === undefined ? 0 : 1 + ranges.length);
    for (const { start, end, lineEnds } of ranges ?? []) numbers.push(start, end, lineEnds);
  }
  const ranges = Uint32Array.from(numbers);
  return { paths: files.map(({ path }) => path), targets: files.map(({ target }) => target), stamps, ranges };
}

export function unpackFiles({ paths, targets, stamps, ranges }: PackedFiles): FileToSearch[] {
  let at = 0;
  const readRanges = () => {
    const count = (ranges[at++] ?? 0) - 1;
    if (count === -1) return undefined;
    return Array.from({ length: count }, (): PartRange => {
      const [start = 0, end = 0, lineEnds = 0] = ranges.subarray(at, (at += 3));
      return { start, end, lineEnds };
    });
  };
  return paths.map((path, index) => {
    const [sizeBytes = 0, mtimeMs = 0, ino = 0] = stamps.subarray(3 * index);
    return { path, target: targets[index] ?? path, stamp: { sizeBytes, mtimeMs, ino }, ranges: readRanges() };
  });
}

/** Outcomes as they are sent: numbers of all, then lines and reasons in the order in which they come. */
export interface SearchAnswer {
  /** Of each file: 0 where it was skipped; else 1 + matching lines, how many are told and shown, and those told. */
  numbers: Uint32Array<ArrayBuffer>;
  lines: string;
  reasons: string[];
}

export function packOutcomes(outcomes: readonly TextOutcome[]): SearchAnswer {
  const numbers: number[] = [];
  const lines: string[] = [];
  const reasons: string[] = [];
  for (const outcome of outcomes) {
    if (outcome.type === "skipped") {
      numbers.push(0);
      reasons.push(outcome.reason);
      continue;
    }
    numbers.push(1 + outcome.count);
    if (outcome.count === 0) continue;
    numbers.push(outcome.matchLines.length, outcome.lines.length);
    for (const line of outcome.matchLines) numbers.push(line);
    for (const line of outcome.lines) lines.push(line);
  }
  return { numbers: Uint32Array.from(numbers), lines: lines.join("\n"), reasons };
}

export function unpackOutcomes({ numbers, lines, reasons }: SearchAnswer): TextOutcome[] {
  const outcomes: TextOutcome[] = [];
  const allLines = lines.split("\n");
  let linesTaken = 0;
  let reasonsTaken = 0;
  for (let at = 0; at < numbers.length;) {
    const head = numbers[at++] ?? 0;
    if (head === 0) outcomes.push({ type: "skipped", reason: reasons[reasonsTaken++] ?? "" });
    else if (head === 1) outcomes.push({ type: "searched", count: 0, matchLines: [], lines: [] });
    else {
      const told = numbers[at++] ?? 0;
      const shown = numbers[at++] ?? 0;
      const matchLines = [...numbers.subarray(at, (at += told))];
      outcomes.push({
        type: "searched",
        count: head - 1,
        matchLines,
        lines: allLines.slice(linesTaken, (linesTaken += shown)),
      });
    }
  }
  return outcomes;
}
