import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { toCitewellError } from "../errors.ts";
import type { FileChange } from "../protocol/compare.ts";
import { pagesFolder } from "../resources/packages/package-pages.ts";
import type { FileEntry, Snapshot } from "../resources/snapshot.ts";
import { type FileClass, classesOf } from "../retrieval/file-class.ts";
import type { SourceText } from "../source/source-text.ts";
import { diffLines } from "../source/line-diff.ts";
import { findRenames } from "./find-renames.ts";

/** A file that is not the same in both versions. */
export interface ComparedFile {
  change: FileChange;
  /** In the new version; of a removed file, in the old one. */
  path: string;
  /** The path before, of a renamed file. */
  from: string | undefined;
  /** The percentage of lines that a renamed file has in common with the old one. */
  similarity: number | undefined;
  fileClass: FileClass;
  /** Undefined without text: there is none, or it is binary or too large. */
  before: SourceText | undefined;
  after: SourceText | undefined;
  addedLines: number;
  removedLines: number;
}

/** The files that differ, in the order of their paths. */
export interface FileComparison {
  files: ComparedFile[];
  notes: string[];
}

/** The most bytes of text that are kept of a version. */
const bytesLimit = 64 * 1024 * 1024;
/** Contents in one process, where reading needs one. */
const readAtOnce = 2000;

/** Compares the files of two versions by their contents. */
export async function compareFiles(
  before: Snapshot,
  after: Snapshot,
  { signal }: { signal: AbortSignal },
): Promise<FileComparison> {
  const notes = new Set<string>();
  const files = { before: before.files.filter(isOwn), after: after.files.filter(isOwn) };
  const old = new Map(files.before.map((file) => [file.path, file]));
  const now = new Map(files.after.map((file) => [file.path, file]));
  const both = files.after.filter(({ path }) => old.has(path) && !isSameById(path, before, after));
  const added = files.after.filter(({ path }) => !old.has(path) && !isSkipped(path, before));
  const removed = files.before.filter(({ path }) => !now.has(path) && !isSkipped(path, after));
  const read = { before: createReader(before, notes), after: createReader(after, notes) };
  const pairs = await readPairs(both, { before, after, read, old, notes, signal });
  const [addedTexts, removedTexts] = [
    await read.after.readAll(added, { signal }),
    await read.before.readAll(removed, { signal }),
  ];
  const renames = findRenames(removedTexts, addedTexts);
  const renamedFrom = new Set([...renames.values()].map(({ from }) => from));
  const classes = new Map(
    [...classBy(before), ...classBy(after)].map(([path, fileClass]): [string, FileClass] => [path, fileClass]),
  );
  const found: ComparedFile[] = [];
  const add = (
    change: FileChange,
    path: string,
    texts: Pick<ComparedFile, "before" | "after">,
    rename?: { from: string; similarity: number },
  ) => {
    const lines = countLines(texts);
    if (change === "changed" && texts.before !== undefined && texts.after !== undefined && lines.isSame) return;
    found.push({
      change,
      path,
      from: rename?.from,
      similarity: rename?.similarity,
      fileClass: classes.get(path) ?? "source",
      ...texts,
      addedLines: lines.addedLines,
      removedLines: lines.removedLines,
    });
  };
  let done = 0;
  const rest = async () => {
    // A server answers others meanwhile.
    if (++done % 20 === 0) await nextTurn(undefined, { signal });
  };
  for (const { path, ...texts } of pairs) {
    add("changed", path, texts);
    await rest();
  }
  for (const [path, text] of addedTexts) {
    const rename = renames.get(path);
    const texts = { before: rename && removedTexts.get(rename.from), after: text };
    add(rename === undefined ? "added" : "renamed", path, texts, rename);
    await rest();
  }
  for (const [path, text] of removedTexts) {
    if (!renamedFrom.has(path)) add("removed", path, { before: text, after: undefined });
  }
  const unread = [...before.skipped, ...after.skipped].filter(({ reason }) => !isNoFile.test(reason));
  const count = new Set(unread.map(({ path }) => path)).size;
  if (count > 0) notes.add(`${count} ${count === 1 ? "file" : "files"} too large to be read`);
  return { files: found.toSorted((a, b) => (a.path < b.path ? -1 : 1)), notes: [...notes] };
}

/** Pages of the registry are not part of the package. */
function isOwn({ path }: FileEntry): boolean {
  return !path.startsWith(`${pagesFolder}/`);
}

/** The reason of a snapshot for what is no file of its own. */
const isNoFile = /link|submodule/;

function classBy({ files }: Snapshot): [string, FileClass][] {
  const paths = files.map(({ path }) => path);
  return classesOf(paths).map((fileClass, index) => [paths[index] ?? "", fileClass]);
}

function isSkipped(path: string, { skipped }: Snapshot): boolean {
  return skipped.some((one) => one.path === path);
}

function isSameById(path: string, before: Snapshot, after: Snapshot): boolean {
  const [old, now] = [before.contentIdOf?.(path), after.contentIdOf?.(path)];
  return old !== undefined && old === now;
}

interface Pair extends Pick<ComparedFile, "before" | "after"> {
  path: string;
}

/** The texts of files of both versions that are not the same, or are binary and have other sizes. */
async function readPairs(
  files: readonly FileEntry[],
  {
    before,
    after,
    read,
    old,
    notes,
    signal,
  }: {
    before: Snapshot;
    after: Snapshot;
    read: { before: Reader; after: Reader };
    old: ReadonlyMap<string, FileEntry>;
    notes: Set<string>;
    signal: AbortSignal;
  },
): Promise<Pair[]> {
  const pairs: Pair[] = [];
  const idsKnown = [before, after].filter(({ contentIdOf }) => contentIdOf !== undefined).length;
  const wanted = idsKnown === 1 ? await withoutSameIds() : files;
  const olds = await read.before.readAll(wanted, { signal });
  const nows = await read.after.readAll(wanted, { signal });
  let unknown = 0;
  for (const { path, sizeBytes } of wanted) {
    const texts = { before: olds.get(path), after: nows.get(path) };
    if (texts.before !== undefined || texts.after !== undefined) {
      if (texts.before?.text !== texts.after?.text) pairs.push({ path, ...texts });
    } else if (idsKnown === 1) unknown++;
    else if (idsKnown === 2 || old.get(path)?.sizeBytes !== sizeBytes) pairs.push({ path, ...texts });
  }
  if (unknown > 0) {
    notes.add(unknown === 1 ? "1 file that is not text" : `${unknown} files that are not text`);
  }
  return pairs;

  /** For a folder and a commit: files with the same id in both are not read from the commit. */
  async function withoutSameIds(): Promise<FileEntry[]> {
    const [folder, commit] = before.contentIdOf === undefined ? [read.before, after] : [read.after, before];
    const texts = await folder.readAll(files, { signal });
    return files.filter(({ path }) => commit.contentIdOf?.(path) !== gitIdOf(texts.get(path)));
  }
}

/** https://git-scm.com/book/en/v2/Git-Internals-Git-Objects#_object_storage */
function gitIdOf(source: SourceText | undefined): string | undefined {
  if (source?.encoding !== "utf-8") return undefined;
  const bytes = Buffer.from(source.text);
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

interface Reader {
  /** The texts by path; undefined for what has none. */
  readAll(files: readonly FileEntry[], options: { signal: AbortSignal }): Promise<Map<string, SourceText | undefined>>;
}

/** Reads each file once. */
function createReader(snapshot: Snapshot, notes: Set<string>): Reader {
  let bytes = 0;
  const known = new Map<string, SourceText | undefined>();
  const readOne = async (path: string, signal: AbortSignal): Promise<SourceText | undefined> => {
    signal.throwIfAborted();
    if (bytes > bytesLimit) {
      notes.add(`${snapshot.info.label}: only ${bytesLimit / 1024 ** 2} MB of text were compared`);
      return undefined;
    }
    try {
      const source = await snapshot.read(path, { signal });
      bytes += source.sizeBytes;
      return source;
    } catch (error) {
      signal.throwIfAborted();
      // Binary, too large, or gone from the folder meanwhile.
      if (toCitewellError(error).tag.startsWith("FileNot")) return undefined;
      throw error;
    }
  };
  return {
    async readAll(files, { signal }) {
      for (let start = 0; start < files.length; start += readAtOnce) {
        const part = files.slice(start, start + readAtOnce).map(({ path }) => path);
        await snapshot.preload?.(
          part.filter((path) => !known.has(path)),
          { signal },
        );
        for (const path of part) {
          if (!known.has(path)) known.set(path, await readOne(path, signal));
        }
      }
      return new Map(files.map(({ path }) => [path, known.get(path)]));
    },
  };
}

function countLines({ before, after }: Pick<ComparedFile, "before" | "after">) {
  const changes = diffLines(before?.lines ?? [], after?.lines ?? []);
  return {
    isSame: changes.length === 0,
    addedLines: changes.reduce((sum, { newCount }) => sum + newCount, 0),
    removedLines: changes.reduce((sum, { oldCount }) => sum + oldCount, 0),
  };
}
