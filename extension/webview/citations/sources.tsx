import { originOf, type Source, sourcesOf } from "../../../client/answer/sources.ts";
import type { SnapshotInfo } from "../../../server/protocol/ask.ts";
import { type Citation, formatCited } from "../../../server/protocol/citation.ts";
import { showInvisible } from "../../../server/protocol/invisible.ts";
import { explainVerified, tallyCitations } from "../../../server/protocol/tally.ts";
import { Icon } from "../icons.tsx";
import { FilePath, Fold } from "../parts.tsx";
import { language, say } from "../strings.ts";
import { useCitation } from "./chip.tsx";
import { looksOf } from "./words.ts";

/** More sources than this are folded at first. */
const unfoldedSources = 8;

/** What an answer cites, by resource, with what checking it has found; a tooltip says what that does not mean. */
export function Sources(props: { turn: string; citations: readonly Citation[]; snapshots: readonly SnapshotInfo[] }) {
  const { turn, citations, snapshots } = props;
  const tally = tallyCitations(citations, language);
  if (citations.length === 0) return <p class="notice muted">{tally}</p>;
  const sources = sourcesOf(citations).map((source) => ({
    ...source,
    origin: showInvisible(originOf(source.citation, snapshots)),
  }));
  const origins = [...new Set(sources.map(({ origin }) => origin))];
  return (
    <Fold
      name={`${turn}/sources`}
      className="sources"
      isOpenAtFirst={sources.length <= unfoldedSources}
      summary={
        <>
          <h4>{say("sources")}</h4>
          <span class="muted" title={explainVerified(citations, language)}>
            {tally}
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
              .filter((source) => source.origin === origin)
              .map(({ citation, count }) => (
                <SourceItem key={citation.id} turn={turn} citation={citation} count={count} />
              ))}
          </ol>
        </section>
      ))}
    </Fold>
  );
}

function SourceItem({ turn, citation, count }: Source & { turn: string }) {
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
          <FilePath className="source-path" path={formatCited(citation)} />
          {citation.state === "verified" && <span class="hidden"> {say("verified")}</span>}
          {notes.length > 0 && <span class="muted">{notes.join(" · ")}</span>}
        </span>
      </button>
    </li>
  );
}
