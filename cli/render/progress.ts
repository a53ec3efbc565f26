import { makingOf } from "../../client/answer/making.ts";
import type { Answer, AskEventOf } from "../../server/protocol/ask.ts";
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

/** What the answer took: `anthropic/claude · 12.3 s · 8,120 tokens in, 640 out · US$0.0312`. */
export function footerText(answer: Pick<Answer, "model" | "usage" | "metrics">, style: Pick<Style, "unicode">): string {
  return cleanLine(makingOf(answer).join(` ${glyphsOf(style).dot} `), style);
}

/** The same, painted, without a line end. */
export function renderFooter(answer: Pick<Answer, "model" | "usage" | "metrics">, style: Style): string {
  return paint(footerText(answer, style), ["dim"], style);
}
