import { type Citation, CitationState, citationStateWords } from "../../server/protocol/citation.ts";

/** `7 citations: 6 verified, 1 not read in this run.` There must be at least one. */
export function countStates(citations: readonly Citation[]): string {
  const counts = CitationState.options.flatMap((state) => {
    const count = citations.filter((citation) => citation.state === state).length;
    return count === 0 ? [] : [`${count} ${citationStateWords[state]}`];
  });
  return `${citations.length} ${citations.length === 1 ? "citation" : "citations"}: ${counts.join(", ")}.`;
}
