import { useLayoutEffect, useRef } from "preact/hooks";
import { placePreview, previewLines } from "../../../client/answer/preview-place.ts";
import { originOf } from "../../../client/answer/sources.ts";
import type { SnapshotInfo } from "../../../server/protocol/ask.ts";
import { type Citation, formatCited, isProved } from "../../../server/protocol/citation.ts";
import { showInvisible } from "../../../server/protocol/invisible.ts";
import { Icon } from "../icons.tsx";
import { FilePath } from "../parts.tsx";
import { say } from "../strings.ts";
import type { Preview } from "../store.ts";
import { describeLines, looksOf } from "./words.ts";

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
  const lines = preview.text.replace(/\n$/, "").split("\n").slice(0, previewLines);
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

function place(card: HTMLElement, anchor: HTMLElement): void {
  card.style.maxHeight = "";
  const view = { width: window.innerWidth, height: window.innerHeight };
  const { left, top, height } = placePreview(anchor.getBoundingClientRect(), {
    size: card.getBoundingClientRect(),
    view,
  });
  card.style.maxHeight = `${height}px`;
  card.style.top = `${top}px`;
  card.style.left = `${left}px`;
}
