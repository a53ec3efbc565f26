import { makingOf } from "../../../client/answer/making.ts";
import { showInvisible } from "../../../server/protocol/invisible.ts";
import { useChat } from "../chat-context.ts";
import { Icon } from "../icons.tsx";
import { CopyButton, IconButton } from "../parts.tsx";
import type { Turn } from "../messages.ts";
import { language, say } from "../strings.ts";

/** Copying, asking again, and what the answer took. */
export function AnswerFooter({ turn, canAsk }: { turn: Turn; canAsk: boolean }) {
  const { send } = useChat();
  const { model, metrics, offers = [] } = turn.answer;
  const prices = metrics?.pricing === undefined ? undefined : say("costTitle", showInvisible(metrics.pricing.source));
  return (
    <footer class="answer-footer">
      <div class="actions">
        {turn.answer.text !== "" && (
          <CopyButton label={say("copyAnswer")} onCopy={() => send({ type: "copy", turn: turn.id })} />
        )}
        {canAsk && (
          <IconButton icon="retry" label={say("retry")} onClick={() => send({ type: "retry", turn: turn.id })} />
        )}
        {canAsk && model.provider === "builtin" && (
          <button type="button" class="pick" onClick={() => send({ type: "explain", turn: turn.id })}>
            <Icon name="model" />
            <bdi>{say("explain")}</bdi>
          </button>
        )}
        {canAsk &&
          offers.map(({ reference, name, version }) => (
            <button
              key={reference}
              type="button"
              class="pick"
              onClick={() => send({ type: "include", turn: turn.id, reference })}
            >
              <Icon name="library" />
              <bdi>{say("include", showInvisible(name), showInvisible(version))}</bdi>
            </button>
          ))}
      </div>
      <span class="muted usage" title={prices}>
        {showInvisible(makingOf(turn.answer, language).join(" · "))}
      </span>
    </footer>
  );
}
