import { summarizeRecheck } from "../../../../client/answer/recheck-words.ts";
import { formatCited, formatPlace, shortenRevision, isLinked } from "../../../protocol/citation.ts";
import { showInvisibleInLine } from "../../../protocol/invisible.ts";
import type { RecheckedCitation, RecheckState, ThreadRecheck } from "../../../protocol/threads.ts";
import { type Html, html } from "../html.ts";
import { sourcePath } from "./citation.ts";

const looks: Readonly<Record<RecheckState, { mark: string; tone: string; words: string }>> = {
  unchanged: { mark: "✓", tone: "good", words: "unchanged" },
  moved: { mark: "↪", tone: "good", words: "moved" },
  changed: { mark: "✕", tone: "bad", words: "the lines have changed" },
  gone: { mark: "✕", tone: "bad", words: "gone" },
  unknown: { mark: "?", tone: "doubtful", words: "not known" },
};

/** What checking the citations of a conversation again has found. @param base `/p/<project>` */
export function renderRecheck({ citations }: ThreadRecheck, base: string): Html {
  const items = citations.map((citation) => renderChecked(citation, base));
  return html`<section class="card sources" id="recheck" aria-labelledby="recheck-title">
    <h2 id="recheck-title">Still true?</h2>
    <p role="status">${summarizeRecheck(citations)}</p>
    ${
      items.length > 0 &&
      html`<ol>
        ${items}
      </ol>`
    }
    <p class="hint">
      The cited lines were compared with the newest revision that is fetched. Whether the answer itself still holds,
      only a new question shows.
    </p>
  </section>`;
}

function renderChecked({ citation, state, reason, now, revision }: RecheckedCitation, base: string): Html {
  const { mark, tone, words } = looks[state];
  const { resource } = citation;
  const cited = showInvisibleInLine(formatCited(citation));
  const place = isLinked(citation)
    ? html`<a href="${sourcePath(citation, base)}"><bdi>${cited}</bdi></a>`
    : html`<bdi>${cited}</bdi>`;
  const current =
    now !== undefined && revision !== undefined && state === "moved"
      ? html` to
          <a href="${sourcePath({ resource, revision, ...now }, base)}"
            ><bdi>${showInvisibleInLine(formatPlace(now.path, now))}</bdi></a
          >`
      : undefined;
  const at = revision === undefined ? "" : ` · ${resource} at ${shortenRevision(revision)}`;
  const why = reason === undefined ? "" : `: ${reason}`;
  return html`<li>
    <span aria-hidden="true" class="${tone}">${mark}</span>
    <span>${place}</span>
    <span class="muted">${words}${current}${showInvisibleInLine(`${why}${at}`)}</span>
  </li>`;
}
