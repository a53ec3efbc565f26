import type { Snapshot } from "../../resources/snapshot.ts";
import { definitionsAround, linesAround } from "../../source/definitions.ts";
import { mayName, sharedEnd } from "../../source/frames.ts";
import { pointersIn } from "../../source/pointers.ts";
import { splitLines } from "../../source/source-text.ts";
import { memberPaths } from "../../source/words.ts";
import { classOf, kindOf } from "../file-class.ts";
import { filterFiles } from "../glob.ts";
import type { Indexes } from "../indexing/indexes.ts";
import { coincides, type PointedPassage } from "../ranked/search.ts";
import { windowLines } from "../ranked/windows.ts";
import type { SearchOptions } from "../retrieval.ts";
import { clipLine } from "../shown-lines.ts";
import type { TextStore } from "../text-store.ts";
import { findNamed } from "./find-definitions.ts";

/** More passages would leave no room for what the words of the question find. */
const passageLimit = 3;
const namesLooked = 3;
const definitionsOfName = 2;

interface Options extends Pick<SearchOptions, "glob" | "kinds" | "signal"> {
  indexes: Indexes;
  texts: TextStore;
}

/** The passages that a question points at by a line of a file, or by a member with its owner (`Cache.read`). */
export async function findPointed(
  snapshots: readonly Snapshot[],
  { query, glob, kinds, signal, indexes, texts }: Options & Pick<SearchOptions, "query">,
): Promise<PointedPassage[]> {
  const options: Options = { glob, kinds, signal, indexes, texts };
  const passages: PointedPassage[] = [];
  const isFull = () => passages.length === passageLimit;
  const add = (passage: PointedPassage) => {
    if (!isFull() && !passages.some((other) => coincides(other, passage))) passages.push(passage);
  };
  for (const { line, ...place } of pointedPlaces(snapshots, pointersIn(query), options)) {
    if (isFull()) break;
    const passage = await readAround(place, line, options);
    if (passage !== undefined) add(passage);
  }
  for (const name of memberPaths(query).slice(0, namesLooked)) {
    if (isFull()) break;
    const found = await findNamed(snapshots, { ...options, name, limit: definitionsOfName, waitsForIndex: false });
    for (const { score: _, ...passage } of found.passages) add(cut(passage));
  }
  return passages;
}

interface Place {
  snapshot: Snapshot;
  path: string;
}

/** The files that paths of a text mean; paths that no snapshot has are left out, such as those of libraries. */
export function pointedPlaces<Named extends { path: string }>(
  snapshots: readonly Snapshot[],
  written: readonly Named[],
  { glob, kinds }: Pick<SearchOptions, "glob" | "kinds">,
): (Named & Place)[] {
  const names = new Set(written.map(({ path }) => nameOf(path)));
  const named = snapshots.flatMap((snapshot) =>
    (names.size === 0 ? [] : filterFiles(snapshot.files, { glob, kinds }))
      .filter(({ path }) => names.has(nameOf(path)))
      .map(({ path }) => ({ snapshot, path })),
  );
  return written.flatMap((one) => placesOf(one.path, named).map((place) => ({ ...one, ...place })));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The files whose path ends as the written one does; only those that share the most of it. */
function placesOf(written: string, files: readonly Place[]): Place[] {
  const length = written.split("/").length;
  const matches = files.flatMap((place) => {
    const shared = sharedEnd(place.path, written);
    // Of a path on another machine, the name alone may be that of another project's file.
    const isEnough = shared > 1 || (shared === 1 && (length === 1 || !place.path.includes("/")));
    return isEnough && mayName(written, { resource: place.snapshot.resource, path: place.path })
      ? [{ place, shared }]
      : [];
  });
  const most = Math.max(0, ...matches.map(({ shared }) => shared));
  const best = matches.filter(({ shared }) => shared === most);
  // A name that many files have points at none of them.
  return best.length > 2 ? [] : best.map(({ place }) => place);
}

/** The definition around the line, or the lines around it. */
async function readAround(
  { snapshot, path }: Place,
  line: number,
  { texts, signal }: Options,
): Promise<PointedPassage | undefined> {
  const read = await texts.read(snapshot, path, { signal });
  signal?.throwIfAborted();
  if (read.fault !== undefined) return undefined;
  const lines = splitLines(read.text);
  if (line < 1 || line > lines.length) return undefined;
  const definitions = read.definitions();
  const around = linesAround(line, definitions, windowLines);
  const { startLine, endLine } = { ...around, endLine: Math.min(around.endLine, lines.length) };
  const { resource, revision } = snapshot;
  return {
    resource,
    revision,
    path,
    startLine,
    endLine,
    lines: lines.slice(startLine - 1, endLine).map((text) => clipLine(text, () => 0)),
    kind: kindOf(classOf(path)),
    reason: `has line ${line}, which the question names`,
    lookedUp: undefined,
    scope: definitionsAround({ startLine, endLine }, definitions),
  };
}

function cut(passage: PointedPassage): PointedPassage {
  const { startLine, endLine, lines } = passage;
  return { ...passage, endLine: Math.min(endLine, startLine + windowLines - 1), lines: lines.slice(0, windowLines) };
}
