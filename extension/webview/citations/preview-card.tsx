import { useLayoutEffect, useRef } from "preact/hooks";
import { originOf } from "../../../client/answer/sources.ts";
import type { SnapshotInfo } from "../../../server/protocol/ask.ts";
import { type Citation, formatCited, isProved } from "../../../server/protocol/citation.ts";
import { showInvisible } from "../../../server/protocol/invisible.ts";
import { Icon } from "../icons.tsx";
import { FilePath } from "../parts.tsx";
import { say } from "../strings.ts";
import type { Preview } from "../store.ts";
import { describeLines, looksOf } from "./words.ts";

/** Lines of a citation that the card shows; the rest opens with a click. */
const shownLines = 12;
/** Pixels between the card, its citation and the edge of the view. */
const gap = 6;

/** The cited lines beside a citation. Screen readers have the sentence of the button. */
export function PreviewCard(props: {
  anchor: HTMLElement;
  citation: Citation;
  snapshots: readonly SnapshotInfo[];
  preview: Preview | undefined;
  onEnter: () => void;
  onLeave: () => void;
}) {
  const { anchor, citation, snapshots, preview, onEnter, onLeave } = props;
  const card = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = card.current;
    if (element === null) return undefined;
    const follow = () => place(element, anchor);
    follow();
    window.addEventListener("scroll", follow, { capture: true, passive: true });
    return () => window.removeEventListener("scroll", follow, { capture: true });
  }, [anchor, preview]);
  const { icon, tone } = looksOf(citation.state);
  return (
    <div ref={card} class="preview" role="tooltip" onMouseEnter={onEnter} onMouseLeave={onLeave}>
      <div class="preview-head">
        <FilePath className="preview-path" path={formatCited(citation)} />
        <span class="muted">{showInvisible(originOf(citation, snapshots))}</span>
      </div>
      <PreviewLines citation={citation} preview={preview} />
      <p class={`state ${tone}`}>
        <Icon name={icon} />
        <span>
          <strong>{say(citation.state)}</strong>
          {citation.reason === undefined ? "" : ` – ${showInvisible(citation.reason)}`}
        </span>
      </p>
      {isProved(citation) && <p class="muted">{say("verifiedMeans")}</p>}
      {citation.claimed !== undefined && <p class="muted">{say("claimedLines", describeLines(citation.claimed))}</p>}
      {citation.state !== "missing" && (
        <p class="muted">{say(navigator.userAgent.includes("Mac") ? "openHintMac" : "openHint")}</p>
      )}
    </div>
  );
}

function PreviewLines({ citation, preview }: { citation: Citation; preview: Preview | undefined }) {
  if (citation.state === "missing") return null;
  if (preview === undefined) return <p class="muted">{say("previewLoading")}</p>;
  if (preview.text === undefined) return <p class="muted">{showInvisible(preview.reason ?? say("previewNone"))}</p>;
  const first = preview.startLine ?? citation.startLine;
  const lines = preview.text.replace(/\n$/, "").split("\n").slice(0, shownLines);
  return (
    <pre class="preview-lines" dir="ltr">
      {lines.map((line, index) => {
        const number = first + index;
        const isCited = number >= citation.startLine && number <= citation.endLine;
        return (
          <div key={number} class={isCited ? "cited" : undefined}>
            <span class="line-number">{number}</span>
            <code>{showInvisible(line)}</code>
          </div>
        );
      })}
    </pre>
  );
}

/**
 * The card is below the citation if it fits there, else where there is more space. It never lies on the citation, as a
 * press that brings it up would then be let go on the card, and open nothing.
 */
function place(card: HTMLElement, anchor: HTMLElement): void {
  const target = anchor.getBoundingClientRect();
  const below = window.innerHeight - target.bottom - 2 * gap;
  const above = target.top - 2 * gap;
  card.style.maxHeight = "";
  const { width, height: wanted } = card.getBoundingClientRect();
  const isBelow = wanted <= below || below >= above;
  const height = Math.min(wanted, Math.max(0, isBelow ? below : above));
  const top = isBelow ? target.bottom + gap : target.top - gap - height;
  card.style.maxHeight = `${height}px`;
  card.style.top = `${top}px`;
  card.style.left = `${Math.max(gap, Math.min(target.left, window.innerWidth - width - gap))}px`;
}
