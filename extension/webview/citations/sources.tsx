import { type CitedLines, groupCitations } from "../../../client/citations/group.ts";
import type { SnapshotInfo } from "../../../server/protocol/ask.ts";
import { type Citation, formatPlace } from "../../../server/protocol/citation.ts";
import { showInvisible } from "../../../server/protocol/invisible.ts";
import { Icon } from "../icons.tsx";
import { FilePath, Fold } from "../parts.tsx";
import { say } from "../strings.ts";
import { useCitation } from "./chip.tsx";
import { describeOrigin, looksOf, summarizeCitations } from "./words.ts";

/** More sources than this are folded at first. */
const unfoldedSources = 8;

/** What an answer cites, by resource, with what checking it has found; a tooltip says what that does not mean. */
export function Sources(props: { turn: string; citations: readonly Citation[]; snapshots: readonly SnapshotInfo[] }) {
  const { turn, citations, snapshots } = props;
  if (citations.length === 0) return <p class="notice muted">{say("citationsNone")}</p>;
  const sources = groupCitations(citations);
  const originOf = ({ citation }: CitedLines) => describeOrigin(citation, snapshots);
  const origins = [...new Set(sources.map(originOf))];
  return (
    <Fold
      name={`${turn}/sources`}
      className="sources"
      isOpenAtFirst={sources.length <= unfoldedSources}
      summary={
        <>
          <h4>{say("sources")}</h4>
          <span class="muted" title={say("disclaimer")}>
            {summarizeCitations(citations)}
          </span>
        </>
      }
    >
      {origins.map((origin) => (
        <section key={origin} aria-label={origin}>
          <p class="muted source-origin" title={origin}>
            {origin}
          </p>
          <ol>
            {sources
              .filter((source) => originOf(source) === origin)
              .map((source) => (
                <Source key={source.citation.id} turn={turn} {...source} />
              ))}
          </ol>
        </section>
      ))}
    </Fold>
  );
}

function Source({ turn, citation, count }: CitedLines & { turn: string }) {
  const { icon, tone } = looksOf(citation.state);
  const notes = [
    citation.state === "verified" ? "" : say(citation.state),
    count > 1 ? say("times", count) : "",
    citation.reason === undefined ? "" : showInvisible(citation.reason),
  ].filter((note) => note !== "");
  return (
    <li>
      <button type="button" class="source" title={say(citation.state)} {...useCitation({ turn, citation })}>
        <span class={`state ${tone}`}>
          <Icon name={icon} />
        </span>
        <span class="source-text">
          <FilePath className="source-path" path={formatPlace(citation.path, citation)} />
          {citation.state === "verified" && <span class="hidden"> {say("verified")}</span>}
          {notes.length > 0 && <span class="muted">{notes.join(" · ")}</span>}
        </span>
      </button>
    </li>
  );
}
