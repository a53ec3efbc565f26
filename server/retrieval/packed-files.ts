import type { WalkedFile } from "../resources/walk.ts";
import type { PartRange } from "./text-parts.ts";

/** A file of a tree, for a thread or process that reads it in place. */
export interface FileToRead extends Pick<WalkedFile, "path" | "target" | "stamp"> {
  /** The parts that matter of it; undefined for all. */
  ranges?: readonly PartRange[] | undefined;
}

/** A list of objects takes ten times as long to send, and each string of a list takes time of its own. */
export interface PackedFiles {
  /** Each ended by a NUL, which no path holds. */
  paths: string;
  /** The same; empty where it is the path. */
  targets: string;
  /** Of each file its size, its time and its number on the disk. */
  stamps: Float64Array<ArrayBuffer>;
  /** Of each file 0, or 1 + its ranges, and these, three numbers each. */
  ranges: Uint32Array<ArrayBuffer>;
}

export function packFiles(files: readonly FileToRead[]): PackedFiles {
  const stamps = new Float64Array(3 * files.length);
  const numbers: number[] = [];
  let paths = "";
  let targets = "";
  let at = 0;
  for (const { path, target, stamp, ranges } of files) {
    paths += `${path}\0`;
    targets += target === path ? "\0" : `${target}\0`;
    stamps[at++] = stamp.sizeBytes;
    stamps[at++] = stamp.changedMs;
    stamps[at++] = stamp.ino;
    numbers.push(ranges === undefined ? 0 : 1 + ranges.length);
    for (const { start, end, lineEnds } of ranges ?? []) numbers.push(start, end, lineEnds);
  }
  return { paths, targets, stamps, ranges: Uint32Array.from(numbers) };
}

export function unpackFiles({ paths, targets, stamps, ranges }: PackedFiles): FileToRead[] {
  let at = 0;
  const readRanges = () => {
    const count = (ranges[at++] ?? 0) - 1;
    if (count === -1) return undefined;
    return Array.from({ length: count }, (): PartRange => {
      const [start = 0, end = 0, lineEnds = 0] = ranges.subarray(at, (at += 3));
      return { start, end, lineEnds };
    });
  };
  const targetParts = targets.split("\0");
  return paths
    .split("\0")
    .slice(0, -1)
    .map((path, index) => {
      const stamp = {
        sizeBytes: stamps[3 * index] ?? 0,
        changedMs: stamps[3 * index + 1] ?? 0,
        ino: stamps[3 * index + 2] ?? 0,
      };
      return { path, target: targetParts[index] || path, stamp, ranges: readRanges() };
    });
}
