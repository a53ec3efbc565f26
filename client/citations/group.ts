import type { Citation } from "../../server/protocol/citation.ts";

/** A source of an answer, and how often the answer cites it. */
export interface CitedLines {
  citation: Citation;
  count: number;
}

/** The sources in the order of the text. Citations of the same lines in the same state are one source. */
export function groupCitations(citations: readonly Citation[]): CitedLines[] {
  const groups = new Map<string, CitedLines>();
  for (const citation of citations) {
    const { resource, path, startLine, endLine, state, reason } = citation;
    const key = JSON.stringify([resource, path, startLine, endLine, state, reason]);
    const group = groups.get(key);
    groups.set(key, { citation: group?.citation ?? citation, count: (group?.count ?? 0) + 1 });
  }
  return [...groups.values()];
}
