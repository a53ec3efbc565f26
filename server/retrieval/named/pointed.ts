import type { Snapshot } from "../../resources/snapshot.ts";
import { definitionsAround, linesAround } from "../../source/definitions.ts";
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
import { type Place, pointedPlaces } from "../ranked/pointed-places.ts";

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
  const searched = snapshots.map((snapshot) => ({ snapshot, files: filterFiles(snapshot.files, { glob, kinds }) }));
  for (const { line, ...place } of pointedPlaces(searched, pointersIn(query))) {
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
