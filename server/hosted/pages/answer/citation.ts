import { toneOfState, type Tone } from "../../../../client/answer/sources.ts";
import {
  type Citation,
  citationStateWords,
  formatCited,
  formatCitedShort,
  isLinked,
} from "../../../protocol/citation.ts";
import { showInvisibleInLine } from "../../../protocol/invisible.ts";
import { type Html, html } from "../html.ts";

const marks: Readonly<Record<Tone, string>> = { good: "✓", moved: "↪", doubtful: "?", bad: "✕" };

/** The mark of the state of a citation; its word is to be beside it. */
export function renderMark({ state }: Pick<Citation, "state">): Html {
  const tone = toneOfState[state];
  return html`<span aria-hidden="true" class="${tone}">${marks[tone]}</span>`;
}

/** A citation in the text: a link to the page of the cited lines, if there are any. @param base `/p/<project>` */
export function renderCitation(citation: Citation, base: string): Html {
  const { state, reason } = citation;
  const name = showInvisibleInLine(formatCitedShort(citation));
  const word = citationStateWords[state];
  const title = showInvisibleInLine(
    [formatCited(citation), word, ...(reason === undefined ? [] : [reason])].join(", "),
  );
  const content = html`${renderMark(citation)} <bdi>${name}</bdi
    ><span class="${state === "verified" ? "hidden" : "muted"}"> (${word})</span>`;
  if (!isLinked(citation)) return html`<span class="cite" title="${title}">${content}</span>`;
  return html`<a class="cite" href="${sourcePath(citation, base)}" title="${title}">${content}</a>`;
}

/** Where the cited lines are shown, at their revision; of a commit, its message and its changes. */
export function sourcePath(
  {
    resource,
    path,
    revision,
    startLine,
    endLine,
  }: Pick<Citation, "resource" | "path" | "revision" | "startLine" | "endLine">,
  base: string,
): string {
  if (path === "") return `${base}/source?${String(new URLSearchParams({ resource, path, revision }))}`;
  const lines = `L${startLine}-L${endLine}`;
  return `${base}/source?${String(new URLSearchParams({ resource, path, revision, lines }))}#L${startLine}`;
}
