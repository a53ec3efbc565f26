import { toneOfState, type Tone } from "../../../client/answer/sources.ts";
import {
  type Citation,
  type CitationState,
  formatCited,
  formatCitedShort,
  isProved,
} from "../../../server/protocol/citation.ts";
import { showInvisible } from "../../../server/protocol/invisible.ts";
import type { IconName } from "../icons.tsx";
import { say } from "../strings.ts";

/** How a state looks beside its word; colour is never alone. */
export function looksOf(state: CitationState): { icon: IconName; tone: Tone } {
  const tone = toneOfState[state];
  return { icon: icons[tone], tone };
}

const icons: Readonly<Record<Tone, IconName>> = { good: "check", moved: "moved", doubtful: "question", bad: "cross" };

/** One sentence for screen readers: it begins with what is seen, for those who speak to their computer. */
export function describeCitation(citation: Citation): string {
  const { path, resource, state, reason, commit } = citation;
  const [file, lines] =
    commit === undefined
      ? [path, describeLines(citation)]
      : [formatCited(citation), [commit.subject, commit.date].filter((part) => part !== undefined).join(", ")];
  const values = [nameOf(citation), say(state), file, lines, resource].map(showInvisible);
  if (isProved({ state }) || reason === undefined) return say("chipLabel", ...values);
  return say("chipLabelReason", ...values, showInvisible(reason));
}

/** The file without its folders, and the lines; of another revision also the commit. */
export function nameOf(citation: Citation): string {
  return showInvisible(formatCitedShort(citation));
}

export function describeLines({ startLine, endLine }: Pick<Citation, "startLine" | "endLine">): string {
  return startLine === endLine ? say("line", startLine) : say("lineRange", startLine, endLine);
}
