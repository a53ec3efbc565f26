import type { Answer, Usage } from "../../server/protocol/ask.ts";
import { answerWords, english, formatNumber, type Language } from "../../server/protocol/answer-words.ts";

/** What made the answer and what it took: `anthropic/claude`, `12.3 s`, `8,120 tokens in, 640 out`, `US$0.0312`. */
export function makingOf(
  { model, usage, metrics }: Pick<Answer, "model" | "usage" | "metrics">,
  language: Language = english,
): string[] {
  return [
    model.model === "" ? undefined : `${model.provider}/${model.model}`,
    metrics?.timing && formatDuration(metrics.timing.totalMs, language),
    usage && formatUsage(usage, language),
    metrics?.pricing && formatCost(metrics.pricing.costUsd.total, language),
  ].filter((part) => part !== undefined);
}

/** `640 ms`, `12.3 s`, `2 min 5 s`. */
function formatDuration(ms: number, language: Language): string {
  const { say, locale } = language;
  if (ms < 999.5) return say(answerWords.milliseconds, Math.round(ms));
  const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
  if (ms < 59_950) return say(answerWords.seconds, (ms / 1000).toLocaleString(locale, digits));
  const seconds = Math.round(ms / 1000);
  return say(answerWords.minutes, formatNumber(Math.floor(seconds / 60), language), seconds % 60);
}

/** Undefined if no model counted tokens: the built-in one has none. */
function formatUsage(
  { inputTokens, outputTokens, totalTokens, cacheReadTokens }: Usage,
  language: Language,
): string | undefined {
  if (inputTokens === 0 && outputTokens === 0) return undefined;
  const { say } = language;
  const total = totalTokens ?? inputTokens ?? outputTokens;
  if (inputTokens === undefined || outputTokens === undefined) {
    return total === undefined ? undefined : say(answerWords.tokens, formatNumber(total, language));
  }
  const [read, written] = [formatNumber(inputTokens, language), formatNumber(outputTokens, language)];
  return cacheReadTokens === undefined
    ? say(answerWords.tokensInOut, read, written)
    : say(answerWords.tokensCachedInOut, read, formatNumber(cacheReadTokens, language), written);
}

/** Small sums have enough digits to differ from nothing. */
function formatCost(usd: number, { say, locale }: Language): string {
  const digits = usd >= 1 ? 2 : 4;
  const sum = usd.toLocaleString(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return say(answerWords.cost, sum);
}
