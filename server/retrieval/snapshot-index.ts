import { findDefinitions } from "../lib/definitions.ts";
import { importTest } from "../lib/grammars.ts";
import { splitLines } from "../lib/source-text.ts";
import { cutChunks } from "./chunks.ts";
import { classOf, type FileClass } from "./file-class.ts";
import { createNumberList, createSumTable } from "./number-list.ts";
import { createPostingsBuilder, type Postings } from "./postings.ts";
import { createSymbolTable, type IndexedSymbol, type SymbolTable } from "./symbols.ts";
import { createVocabulary, detached, forEachWord } from "./vocabulary.ts";

export interface IndexedFile {
  path: string;
  fileClass: FileClass;
  /** The path of the same module in a form that reads better. */
  twinOf: string | undefined;
  /** Its chunks run from here up to the next file's first. */
  firstChunk: number;
  /** Words in its text. */
  length: number;
}

/** What ranking needs to know of a snapshot; holds no text. */
export interface SnapshotIndex {
  files: readonly IndexedFile[];
  /** The number of each term. */
  terms: ReadonlyMap<string, number>;
  /** Terms by chunk; `occurrencesIn` reads the weights. */
  body: Postings;
  /** Terms of the path by file. */
  paths: Postings;
  /** By chunk: its file, its first line (1-based), its words. */
  chunks: { files: Uint32Array; lines: Uint32Array; lengths: Uint32Array };
  symbols: SymbolTable;
}

export interface IndexBuilder {
  add(path: string, text: string): void;
  finish(): SnapshotIndex;
}

/** `twins` tells of which path another one is the twin. */
export function createIndexBuilder({ twins }: { twins: ReadonlyMap<string, string> }): IndexBuilder {
  const vocabulary = createVocabulary();
  const body = createPostingsBuilder();
  const paths = createPostingsBuilder();
  const chunkFiles = createNumberList();
  const chunkLines = createNumberList();
  const chunkLengths = createNumberList();
  const files: IndexedFile[] = [];
  const symbols: IndexedSymbol[] = [];
  const sums = createSumTable();
  return {
    add(path, text) {
      const file = {
        path,
        fileClass: classOf(path),
        twinOf: twins.get(path),
        firstChunk: chunkFiles.length,
        length: 0,
      };
      addPath(path);
      file.length = addText(path, text);
      files.push(file);
    },
    finish: () => ({
      files,
      terms: vocabulary.ids,
      body: body.finish(vocabulary.ids.size),
      paths: paths.finish(vocabulary.ids.size),
      chunks: { files: chunkFiles.values(), lines: chunkLines.values(), lengths: chunkLengths.values() },
      symbols: createSymbolTable(symbols),
    }),
  };

  function addPath(path: string): void {
    const folderEnd = path.lastIndexOf("/") + 1;
    count(path.slice(0, folderEnd), folderWeight);
    count(path.slice(folderEnd), baseNameWeight);
    sums.drain((term, weight) => paths.add(term, files.length, weight));
  }

  function addText(path: string, text: string): number {
    const lines = splitLines(text);
    const definitions = findDefinitions(path, lines);
    for (const { name, startLine, endLine } of definitions)
      symbols.push({ name: detached(name), file: files.length, startLine, endLine });
    const isSkipped = importTest(path);
    const names = definitions.values();
    let name = names.next();
    let length = 0;
    for (const { startLine, endLine } of cutChunks(lines, definitions)) {
      let words = 0;
      for (let line = startLine; line <= endLine; line++) {
        const text = lines[line - 1] ?? "";
        if (!isSkipped(text)) words += count(text, 1);
      }
      for (; !name.done && name.value.line <= endLine; name = names.next()) count(name.value.name, definitionUnit);
      sums.drain((term, sum) => body.add(term, chunkFiles.length, sum));
      chunkFiles.push(files.length);
      chunkLines.push(startLine);
      chunkLengths.push(words);
      length += words;
    }
    return length;
  }

  /** Adds the terms of a text to the sums; returns the number of its words. */
  function count(text: string, amount: number): number {
    let words = 0;
    forEachWord(text, (word) => {
      words++;
      for (const term of vocabulary.termsOf(word)) sums.add(term, amount);
    });
    return words;
  }
}

/** What a weight of `body` says: occurrences in the text, and among them those in names that are defined there. */
export function occurrencesIn(weight: number): { inText: number; inNames: number } {
  return { inText: weight % definitionUnit, inNames: Math.floor(weight / definitionUnit) };
}

/** More than 255 occurrences in one chunk run over into names: no text of 48 lines that a person wrote has so many. */
const definitionUnit = 256;
/** How often a term of the path counts: each time as a whole match of the file. Measured (bench/retrieval). */
const baseNameWeight = 3;
const folderWeight = 1;
