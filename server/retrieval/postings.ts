import { createNumberList } from "./number-list.ts";

/**
 * Which documents hold a term, and how much of it: for term `t`, entries `starts[t]` up to `starts[t + 1]` of
 * `documents` (ascending) and `weights`.
 */
export interface Postings {
  starts: Uint32Array;
  documents: Uint32Array;
  weights: Uint16Array;
}

export interface PostingsBuilder {
  /** Documents come in ascending order; a term at most once in each. */
  add(term: number, document: number, weight: number): void;
  finish(termCount: number): Postings;
}

export function createPostingsBuilder(): PostingsBuilder {
  const terms = createNumberList();
  const documents = createNumberList();
  const weights = createNumberList();
  return {
    add(term, document, weight) {
      terms.push(term);
      documents.push(document);
      weights.push(Math.min(weight, 0xffff));
    },
    finish: (termCount) => sortByTerm(terms.values(), documents.values(), weights.values(), termCount),
  };
}

/** A counting sort: stable, so that the documents of each term stay in order. */
function sortByTerm(terms: Uint32Array, documents: Uint32Array, weights: Uint32Array, termCount: number): Postings {
  const starts = new Uint32Array(termCount + 1);
  for (const term of terms) starts[term + 1] = (starts[term + 1] ?? 0) + 1;
  for (let term = 0; term < termCount; term++) starts[term + 1] = (starts[term + 1] ?? 0) + (starts[term] ?? 0);
  const next = starts.slice();
  const sorted = { starts, documents: new Uint32Array(terms.length), weights: new Uint16Array(terms.length) };
  for (let index = 0; index < terms.length; index++) {
    const term = terms[index] ?? 0;
    const position = next[term] ?? 0;
    next[term] = position + 1;
    sorted.documents[position] = documents[index] ?? 0;
    sorted.weights[position] = weights[index] ?? 0;
  }
  return sorted;
}
