import { type RecheckedCitation, RecheckState } from "../../server/protocol/threads.ts";

/** How many citations are in which state: `3 citations: 2 unchanged, 1 gone.` */
export function summarizeRecheck(citations: readonly RecheckedCitation[]): string {
  if (citations.length === 0) return "No citations to check again.";
  const counts = RecheckState.options.flatMap((state) => {
    const count = citations.filter((citation) => citation.state === state).length;
    return count === 0 ? [] : [`${count} ${state}`];
  });
  return `${citations.length} ${citations.length === 1 ? "citation" : "citations"}: ${counts.join(", ")}.`;
}
