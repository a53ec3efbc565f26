import { stepOf } from "../../client/answer/steps.ts";
import type { ToolTrace } from "../../server/protocol/ask.ts";
import { cleanLine } from "./clean.ts";
import { paintSpans, type Span } from "./spans.ts";
import { glyphsOf, type Style } from "./style.ts";

/** How much of what went wrong is shown, in characters. */
const faultLimit = 160;

/** One line for a tool call and its state: `search “retry after” → 8 passages`. Renders without a line end. */
export function renderTool(trace: Pick<ToolTrace, "tool" | "state">, style: Style): string {
  return paintSpans(toolSpans(trace, style), style);
}

/** The same as spans. */
export function toolSpans(trace: Pick<ToolTrace, "tool" | "state">, style: Style): Span[] {
  const { arrow, ellipsis } = glyphsOf(style);
  const { title, status, result, fault } = stepOf(trace);
  const call: Span = { text: cleanLine(title, style), marks: ["dim"] };
  if (status === "pending" || status === "running") return [{ ...call, text: `${call.text} ${ellipsis}` }];
  if (fault !== undefined) {
    const text = `${result}: ${cleanLine(fault, style, faultLimit)}`;
    return [call, { text: " ", marks: [] }, { text, marks: ["warning"] }];
  }
  const found = cleanLine(result, style, faultLimit);
  return [found === "" ? call : { ...call, text: `${call.text} ${arrow} ${found}` }];
}
