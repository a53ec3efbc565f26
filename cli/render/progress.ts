import type { Answer, AskEventOf, Usage } from "../../server/protocol/ask.ts";
import { clean, cleanLine } from "./clean.ts";
import { glyphsOf, paint, type Style } from "./style.ts";

/** One line without a line end: `Cloning https://… 45 %`. */
export function renderProgress(
  { message, fraction }: Pick<AskEventOf<"progress">, "message" | "fraction">,
  style: Style,
): string {
  const percent = fraction === undefined ? "" : ` ${Math.floor(fraction * 100)} %`;
  return paint(`${cleanLine(message, style)}${percent}`, ["dim"], style);
}

/** A delta of reasoning, dimmed; it may begin and end anywhere. */
export function renderReasoning(delta: string, style: Style): string {
  return clean(delta, style)
    .split("\n")
    .map((line) => paint(line, ["dim"], style))
    .join("\n");
}

/** What the answer took: `anthropic/claude · 12.3 s · 8,120 tokens in, 640 out · $0.0312`. */
export function footerText(
  { model, usage, metrics }: Pick<Answer, "model" | "usage" | "metrics">,
  style: Pick<Style, "unicode">,
): string {
  const parts = [
    `${model.provider}/${model.model}`,
    metrics?.timing === undefined ? undefined : formatDuration(metrics.timing.totalMs),
    usage === undefined ? undefined : formatUsage(usage),
    metrics?.pricing === undefined ? undefined : formatCost(metrics.pricing.costUsd.total),
  ];
  const shown = parts.filter((part) => part !== undefined && part !== "");
  return cleanLine(shown.join(` ${glyphsOf(style).dot} `), style);
}

/** The same, painted, without a line end. */
export function renderFooter(answer: Pick<Answer, "model" | "usage" | "metrics">, style: Style): string {
  return paint(footerText(answer, style), ["dim"], style);
}

/** `640 ms`, `12.3 s`, `2 min 5 s`. */
export function formatDuration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

function formatUsage({ inputTokens, outputTokens, totalTokens, cacheReadTokens }: Usage): string {
  // A model that counts nothing, as the built-in one, has nothing to tell.
  if (inputTokens === 0 && outputTokens === 0) return "";
  if (inputTokens !== undefined && outputTokens !== undefined) {
    const cached = cacheReadTokens === undefined ? "" : ` (${formatCount(cacheReadTokens)} cached)`;
    return `${formatCount(inputTokens)} tokens in${cached}, ${formatCount(outputTokens)} out`;
  }
  const total = totalTokens ?? inputTokens ?? outputTokens;
  return total === undefined ? "" : `${formatCount(total)} tokens`;
}

/** Small sums with enough digits to differ from nothing. */
function formatCost(usd: number): string {
  return `$${usd.toFixed(usd >= 1 ? 2 : 4)}`;
}

/** `1,234,567`, in every locale alike. */
function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
