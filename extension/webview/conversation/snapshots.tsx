import { type Note, notesBefore } from "../../../client/answer/notes.ts";
import { nameSnapshot } from "../../../client/answer/sources.ts";
import { formatNumber, joinList } from "../../../server/protocol/answer-words.ts";
import type { Answer, SnapshotInfo } from "../../../server/protocol/ask.ts";
import { showInvisible } from "../../../server/protocol/invisible.ts";
import { Icon } from "../icons.tsx";
import { FilePath, Fold } from "../parts.tsx";
import { formatAge, language, say, sayCount } from "../strings.ts";

/** Which revisions an answer was made from, how old they are, and what should be known about them before reading on. */
export function Snapshots({
  turn,
  answer,
}: {
  turn: string;
  answer: Pick<Answer, "snapshots" | "unavailable" | "warnings">;
}) {
  const { snapshots } = answer;
  return (
    <>
      {snapshots.length > 0 && (
        <Fold
          name={`${turn}/snapshots`}
          className="snapshots"
          summary={
            <>
              <Icon name="library" />
              <bdi>{describeSnapshots(snapshots)}</bdi>
            </>
          }
        >
          <ul>
            {snapshots.map((snapshot) => (
              <li key={snapshot.resource}>
                <bdi>{showInvisible(nameSnapshot(snapshot))}</bdi>
                <span class="muted"> {describeAge(snapshot)}</span>
                <SkippedFiles snapshot={snapshot} />
              </li>
            ))}
          </ul>
        </Fold>
      )}
      {notesBefore(answer, language).map((note) => (
        <Warning key={`${note.title} ${note.text}`} {...note} />
      ))}
    </>
  );
}

/** Which files the answer could not use, and why. */
function SkippedFiles({ snapshot: { skipped = [], skippedCount } }: { snapshot: SnapshotInfo }) {
  if (skipped.length === 0) return null;
  const more = skippedCount - skipped.length;
  return (
    <ul class="skipped muted">
      {skipped.map(({ path, reason }) => (
        <li key={path}>
          <FilePath className="" path={path} /> {showInvisible(reason)}
        </li>
      ))}
      {more > 0 && <li>{say("snapshotSkippedMore", formatNumber(more, language))}</li>}
    </ul>
  );
}

/** Names them as long as the line stays short. */
function describeSnapshots(snapshots: readonly SnapshotInfo[]): string {
  if (snapshots.length > namedLimit) return say("snapshots", formatNumber(snapshots.length, language));
  return say(
    "snapshotsNamed",
    showInvisible(
      joinList(
        snapshots.map(({ resource }) => resource),
        language,
      ),
    ),
  );
}

const namedLimit = 3;

function Warning({ title, text }: Note) {
  return (
    <p class="notice warning">
      <Icon name="alert" />
      <span dir="auto">
        <strong>{showInvisible(title)}</strong> {showInvisible(text)}
      </span>
    </p>
  );
}

function describeAge({ fetchedAt, skippedCount }: SnapshotInfo): string {
  const parts = [
    fetchedAt === null ? say("asItIsNow") : say("fetched", formatAge(fetchedAt)),
    ...(skippedCount === 0 ? [] : [sayCount("snapshotSkippedOne", "snapshotSkipped", skippedCount)]),
  ];
  return parts.join(" · ");
}
