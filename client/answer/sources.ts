import type { SnapshotInfo } from "../../server/protocol/ask.ts";
import { type Citation, type CitationState, shortenRevision } from "../../server/protocol/citation.ts";

/** A source of an answer, and how often the answer cites it. */
export interface Source {
  citation: Citation;
  count: number;
}

/** The sources in the order of the text. Citations of the same lines in the same state are one source. */
export function sourcesOf(citations: readonly Citation[]): Source[] {
  const sources = new Map<string, Source>();
  for (const citation of citations) {
    const key = sourceKey(citation);
    const source = sources.get(key);
    sources.set(key, { citation: source?.citation ?? citation, count: (source?.count ?? 0) + 1 });
  }
  return [...sources.values()];
}

/** Equal for citations of one source. */
export function sourceKey({ resource, path, startLine, endLine, state, reason, commit }: Citation): string {
  return JSON.stringify([resource, path, startLine, endLine, state, reason, commit?.id]);
}

/** How a state looks beside its word. A relocated citation is proved, at other lines than the model wrote. */
export const toneOfState = {
  verified: "good",
  relocated: "moved",
  "not-read": "doubtful",
  mismatch: "bad",
  "out-of-range": "bad",
  missing: "bad",
  ambiguous: "bad",
} as const satisfies Record<CitationState, string>;
export type Tone = (typeof toneOfState)[CitationState];

/**
 * The resource and its revision: `express 5.3.0`, `demo · local folder ~/demo`, without a snapshot `demo · 3f2c1a9d8b7e`;
 * of another revision its commit, `demo · Retry once more · 2023-03-05 · Ada`.
 */
export function originOf(
  { resource, revision, commit }: Pick<Citation, "resource" | "revision" | "commit">,
  snapshots: readonly SnapshotInfo[],
): string {
  if (commit !== undefined) {
    const { subject, date, author } = commit;
    return [resource, subject, date, author].filter((part) => part !== undefined && part !== "").join(" · ");
  }
  const snapshot = snapshots.find((info) => info.resource === resource && info.revision === revision);
  // A label is `name, origin` or `name (origin)`.
  if (snapshot !== undefined) return nameSnapshot({ resource, label: snapshot.label.split(/,| \(/)[0] ?? "" });
  return [resource, shortenRevision(revision)].filter((part) => part !== "").join(" · ");
}

/** The label of a snapshot with the name of its resource, unless it begins with that. */
export function nameSnapshot({ resource, label }: Pick<SnapshotInfo, "resource" | "label">): string {
  return label.startsWith(resource) ? label : `${resource} · ${label}`;
}
