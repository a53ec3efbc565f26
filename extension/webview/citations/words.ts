import { type Citation, CitationState, formatPlace, isProved } from "../../../server/protocol/citation.ts";
import type { SnapshotInfo } from "../../../server/protocol/ask.ts";
import { showInvisible } from "../../../server/protocol/invisible.ts";
import type { IconName } from "../icons.tsx";
import { formatNumber, joinList, say, sayCount } from "../strings.ts";

/** How a state looks beside its word; colour is never alone. */
export function looksOf(state: CitationState): { icon: IconName; tone: "good" | "moved" | "doubtful" | "bad" } {
  switch (state) {
    case "verified":
      return { icon: "check", tone: "good" };
    case "relocated":
      return { icon: "moved", tone: "moved" };
    case "not-read":
      return { icon: "question", tone: "doubtful" };
    case "mismatch":
    case "out-of-range":
    case "missing":
    case "ambiguous":
      return { icon: "cross", tone: "bad" };
  }
}

/** `6 citations: 5 verified, 1 out of range.` */
export function summarizeCitations(citations: readonly Citation[]): string {
  if (citations.length === 0) return say("citationsNone");
  const counts = CitationState.options.flatMap((state) => {
    const count = citations.filter((citation) => citation.state === state).length;
    return count === 0 ? [] : [say("countOfState", formatNumber(count), say(state))];
  });
  return sayCount("citationOne", "citations", citations.length, joinList(counts));
}

/** One sentence for screen readers: it begins with what is seen, for those who speak to their computer. */
export function describeCitation(citation: Citation): string {
  const { path, resource, state, reason } = citation;
  const values = [nameOf(citation), say(state), path, describeLines(citation), resource].map(showInvisible);
  if (isProved({ state }) || reason === undefined) return say("chipLabel", ...values);
  return say("chipLabelReason", ...values, showInvisible(reason));
}

/** The file without its folders, and the lines. */
export function nameOf(citation: Citation): string {
  return showInvisible(formatPlace(citation.path.split("/").at(-1) ?? "", citation));
}

export function describeLines({ startLine, endLine }: Pick<Citation, "startLine" | "endLine">): string {
  return startLine === endLine ? say("line", startLine) : say("lineRange", startLine, endLine);
}

/** Resource and revision for people, as the answer's snapshots name them, else by the revision's first letters. */
export function describeOrigin({ resource, revision }: Citation, snapshots: readonly SnapshotInfo[]): string {
  const snapshot = snapshots.find((info) => info.resource === resource && info.revision === revision);
  return snapshot === undefined
    ? showInvisible([resource, shortRevision(revision)].filter((part) => part !== "").join(" · "))
    : describeSnapshot(snapshot);
}

/** The name of the resource, unless its label begins with it. */
export function describeSnapshot({ resource, label }: Pick<SnapshotInfo, "resource" | "label">): string {
  return showInvisible(label.startsWith(resource) ? label : `${resource} · ${label}`);
}

function shortRevision(revision: string): string {
  const hash = /^(?<prefix>content-)?(?<digits>[0-9a-f]{12})[0-9a-f]{28,}$/.exec(revision)?.groups;
  if (hash !== undefined) return `${hash["prefix"] ?? ""}${hash["digits"]}`;
  return revision.split("+sha", 1)[0] ?? revision;
}
