import { classesOf, classOrder } from "../file-class.ts";
import { packNumbers, unpackNumbers } from "../format/bytes.ts";
import type { Sections } from "../format/deflated-sections.ts";
import type { IndexFile } from "../format/index-file.ts";
import { createNumberList } from "../format/number-list.ts";
import { createSortedTableWriter, keyOf, openSortedTable, sortedByKey } from "../format/sorted-table.ts";
import { once } from "../once.ts";
import { findTwins } from "./twins.ts";
import { forEachWord, termsOf } from "./vocabulary.ts";

/** Facts about files from their paths, by file number. Cached, because a large tree takes a while. */
export interface PathFacts {
  /** The `classOrder` of each. */
  readonly classOrders: Uint8Array;
  /** For each file, 1 + the number of the same module in a more readable form; 0 if there is none. */
  readonly twins: Uint32Array;
  readonly terms: PathTerms;
  /** The sections as they are stored. */
  sections(): Sections;
}

export interface PathTerms {
  /** The files with a term in their path, and how much it counts in each. @throws DamagedIndex */
  get(term: string): ReadonlyMap<number, number> | undefined;
}

export function describePaths(paths: readonly string[]): PathFacts {
  const classOrders = Uint8Array.from(classesOf(paths), classOrder);
  const twins = once(() => numberTwins(paths));
  const terms = once(() => indexTerms(paths));
  return {
    classOrders,
    get twins() {
      return twins();
    },
    terms: { get: (term) => terms().get(term) },
    sections: () => ({ classOrders, twins: packNumbers(twins()), ...packTerms(terms()) }),
  };
}

/** @throws DamagedIndex */
export function openPathFacts(file: IndexFile): PathFacts {
  const terms = openSortedTable(file, "pathTerms");
  const names = ["classOrders", "twins", "pathTerms", "pathTermsGroups"];
  return {
    classOrders: file.section("classOrders"),
    twins: unpackNumbers(file.section("twins")),
    terms: {
      get(term) {
        const bytes = terms.get(keyOf(term));
        return bytes && readFiles(unpackNumbers(bytes));
      },
    },
    sections: () => Object.fromEntries(names.map((name) => [name, file.section(name)])),
  };
}

function numberTwins(paths: readonly string[]): Uint32Array {
  const twins = new Uint32Array(paths.length);
  const found = findTwins(paths);
  if (found.size === 0) return twins;
  const numbers = new Map(paths.map((path, number) => [path, number]));
  for (const [twin, original] of found) twins[numbers.get(twin) ?? 0] = (numbers.get(original) ?? 0) + 1;
  return twins;
}

/** The weight of a term of the path, in matches of the whole file. Measured (bench/retrieval). */
const baseNameWeight = 3;
const folderWeight = 1;

function indexTerms(paths: readonly string[]): Map<string, Map<number, number>> {
  const files = new Map<string, Map<number, number>>();
  const termsOfText = createTermCache();
  for (const [number, path] of paths.entries()) {
    const nameStart = path.lastIndexOf("/") + 1;
    const add = (term: string, weight: number) => {
      const found = files.get(term) ?? new Map<number, number>();
      if (found.size === 0) files.set(term, found);
      found.set(number, (found.get(number) ?? 0) + weight);
    };
    for (const term of termsOfText(path.slice(0, nameStart))) add(term, folderWeight);
    for (const term of termsOfText(path.slice(nameStart))) add(term, baseNameWeight);
  }
  return files;
}

/** Caches the terms of folders, which repeat for each of their files. */
function createTermCache(): (text: string) => readonly string[] {
  const known = new Map<string, readonly string[]>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const terms: string[] = [];
    forEachWord(text, (word) => terms.push(...termsOf(word)));
    known.set(text, terms);
    return terms;
  };
}

/** The files of each term as differences, and its weight in each. */
function packTerms(files: ReadonlyMap<string, ReadonlyMap<number, number>>): Sections {
  const table = createSortedTableWriter("pathTerms");
  const list = createNumberList();
  for (const [key, ofTerm] of sortedByKey(files)) {
    list.clear();
    let before = 0;
    for (const [file, weight] of ofTerm) {
      list.push(file - before);
      list.push(weight);
      before = file;
    }
    table.add(key, packNumbers(list.values()));
  }
  return table.finish();
}

function readFiles(list: Uint32Array): Map<number, number> {
  const files = new Map<number, number>();
  let file = 0;
  for (let at = 0; at < list.length; at += 2) {
    file += list[at] ?? 0;
    files.set(file, list[at + 1] ?? 0);
  }
  return files;
}
