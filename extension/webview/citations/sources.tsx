import { groupCitations } from "../../../client/citations/group.ts";
import type { SnapshotInfo } from "../../../server/protocol/ask.ts";
import { type Citation, formatPlace } from "../../../server/protocol/citation.ts";
import { showInvisible } from "../../../server/protocol/invisible.ts";
import { Icon } from "../icons.tsx";
import { Fold } from "../parts.tsx";
import { say } from "../strings.ts";
import { useCitation } from "./chip.tsx";
import { describeOrigin, looksOf, summarizeCitations } from "./words.ts";

/** More sources than this are folded at first. */
const unfoldedSources = 8;

/** What an answer cites, with what checking it has found, and what that does not mean. */
export function Sources(props: { turn: string; citations: readonly Citation[]; snapshots: readonly SnapshotInfo[] }) {
  const { turn, citations, snapshots } = props;
  if (citations.length === 0) return <p class="notice muted">{say("citationsNone")}</p>;
  const sources = groupCitations(citations);
  return (
    <Fold
      name={`${turn}/sources`}
      className="sources"
      isOpenAtFirst={sources.length <= unfoldedSources}
      summary={
        <>
          <h4>{say("sources")}</h4>
          <span class="muted">{summarizeCitations(citations)}</span>
        </>
      }
    >
      <ol>
        {sources.map(({ citation, count }) => (
          <Source key={citation.id} turn={turn} citation={citation} count={count} snapshots={snapshots} />
        ))}
      </ol>
      <p class="muted disclaimer">{say("disclaimer")}</p>
    </Fold>
  );
}

function Source(props: { turn: string; citation: Citation; count: number; snapshots: readonly SnapshotInfo[] }) {
  const { turn, citation, count, snapshots } = props;
  const { icon, tone } = looksOf(citation.state);
  const origin = describeOrigin(citation, snapshots);
  return (
    <li>
      <button type="button" class="source" {...useCitation({ turn, citation })}>
        <span class={`state ${tone}`}>
          <Icon name={icon} />
        </span>
        <span class="source-text">
          <bdi class="source-path">{showInvisible(formatPlace(citation.path, citation))}</bdi>
          <span class="muted source-origin" title={origin}>
            {say(citation.state)}
            {count > 1 && ` ${say("times", count)}`} · {origin}
          </span>
          {citation.reason !== undefined && <span class="muted">{showInvisible(citation.reason)}</span>}
        </span>
      </button>
    </li>
  );
}
