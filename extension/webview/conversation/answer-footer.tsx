import type { Metrics, Usage } from "../../../server/protocol/ask.ts";
import { showInvisible } from "../../../server/protocol/invisible.ts";
import { useChat } from "../chat-context.ts";
import { Icon } from "../icons.tsx";
import { CopyButton, IconButton } from "../parts.tsx";
import type { Turn } from "../messages.ts";
import { formatNumber, say } from "../strings.ts";

/** Copying, asking again, and what the answer took. */
export function AnswerFooter({ turn, canAsk }: { turn: Turn; canAsk: boolean }) {
  const { send } = useChat();
  const { model, usage, metrics, offers = [] } = turn.answer;
  const parts = [
    model.model === "" ? undefined : showInvisible(`${model.provider}/${model.model}`),
    metrics?.timing === undefined ? undefined : formatDuration(metrics.timing.totalMs),
    usage === undefined ? undefined : formatUsage(usage),
    metrics?.pricing === undefined ? undefined : formatCost(metrics.pricing),
  ].filter((part) => part !== undefined && part !== "");
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
        {parts.join(" · ")}
      </span>
    </footer>
  );
}

/** `640 ms`, `12.3 s`, `2 min 5 s`, in the person's language. */
function formatDuration(ms: number): string {
  if (ms < 999.5) return unit(Math.round(ms), "millisecond");
  if (ms < 59_950) return unit(Math.round(ms / 100) / 10, "second");
  const seconds = Math.round(ms / 1000);
  return `${unit(Math.floor(seconds / 60), "minute")} ${unit(seconds % 60, "second")}`;
}

function unit(value: number, name: "millisecond" | "second" | "minute"): string {
  const language = document.documentElement.lang || undefined;
  return new Intl.NumberFormat(language, { style: "unit", unit: name }).format(value);
}

function formatUsage({ inputTokens, outputTokens, totalTokens, cacheReadTokens }: Usage): string {
  // A model that counts nothing, as the built-in one, has nothing to tell.
  if (inputTokens === 0 && outputTokens === 0) return "";
  if (inputTokens !== undefined && outputTokens !== undefined) {
    const [read, written] = [formatNumber(inputTokens), formatNumber(outputTokens)];
    return cacheReadTokens === undefined
      ? say("tokensInOut", read, written)
      : say("tokensCachedInOut", read, formatNumber(cacheReadTokens), written);
  }
  const total = totalTokens ?? inputTokens ?? outputTokens;
  return total === undefined ? "" : say("tokens", formatNumber(total));
}

/** Small sums with enough digits to differ from nothing. */
function formatCost({ costUsd }: NonNullable<Metrics["pricing"]>): string {
  return say("cost", costUsd.total.toFixed(costUsd.total >= 1 ? 2 : 4));
}
