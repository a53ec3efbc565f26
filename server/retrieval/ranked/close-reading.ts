import { importTest } from "../../source/grammars.ts";
import { once } from "../once.ts";
import type { TextStore } from "../text-store.ts";
import type { Candidate } from "./phrases.ts";
import type { FoundWord, TermFinder } from "./term-finder.ts";

/** A text with where the words of the question stand in it, which is found out when it is first asked for. */
export interface CloseReading {
  text: string;
  /** The words without those of lines that only name what other files define. */
  words(): readonly FoundWord[];
}

export interface ReadCandidate extends Candidate {
  /** The reading of the best files that can be read. */
  reading?: CloseReading;
}

/** How many files are read word by word, for adjacent words and the best passages. Measured (bench/retrieval). */
const readLimit = 5;

/** Reads the best of the candidates, which come best first. */
export async function readClosely(
  candidates: readonly Candidate[],
  {
    findTerms,
    texts,
    signal,
    asksForTests,
  }: { findTerms: TermFinder; texts: TextStore; signal: AbortSignal | undefined; asksForTests: boolean },
): Promise<ReadCandidate[]> {
  const read = candidates.slice(0, readLimit).map(async (candidate): Promise<ReadCandidate> => {
    const { snapshot, index, scored } = candidate;
    const path = index.files[scored.file]?.path ?? "";
    const { text } = await texts.read(snapshot, path, { signal });
    if (text === undefined) return candidate;
    const words = once(() => {
      const found = withoutImports(findTerms(text), { path, text });
      return asksForTests ? found : withoutTests(found, { path, text });
    });
    return { ...candidate, reading: { text, words } };
  });
  const closely = await Promise.all(read);
  signal?.throwIfAborted();
  return [...closely, ...candidates.slice(readLimit)];
}

/** Leaves out those of lines that only name what other files define. */
export function withoutImports(
  words: readonly FoundWord[],
  { path, text }: { path: string; text: string },
): FoundWord[] {
  const isImport = importTest(path);
  let line = { end: -1, isImport: false };
  return words.filter(({ start }) => {
    if (start >= line.end) {
      const end = text.indexOf("\n", start);
      const whole = text.slice(text.lastIndexOf("\n", start) + 1, end === -1 ? undefined : end);
      line = { end: end === -1 ? text.length : end, isImport: isImport(whole.trimEnd()) };
    }
    return !line.isImport;
  });
}

/** Leaves out words in the tests at the end of a Rust file, unless all words are there. */
function withoutTests(
  words: readonly FoundWord[],
  { path, text }: { path: string; text: string },
): readonly FoundWord[] {
  const start = path.endsWith(".rs") ? text.search(rustTests) : -1;
  const code = start === -1 ? words : words.filter((word) => word.start < start);
  return code.length === 0 ? words : code;
}

/** Attributes may stand between. */
const rustTests = /^#\[cfg\(test\)\]\s+(?:#[^\n]*\n\s*)*(?:pub(?:\(.*?\))? )?mod \w+ \{/m;
