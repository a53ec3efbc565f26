import type { ToolState, ToolTrace } from "../../server/protocol/ask.ts";
import { cleanLine } from "./clean.ts";
import { glyphsOf, paint, type Style } from "./style.ts";

/** How much of what went wrong is shown, in characters. */
const faultLimit = 160;

/** One line for a call of a tool as it stands: `search “retry after” → 8 passages`. Without a line end. */
export function renderTool({ tool, state }: Pick<ToolTrace, "tool" | "state">, style: Style): string {
  const { arrow, ellipsis } = glyphsOf(style);
  const call = cleanLine("title" in state ? (state.title ?? tool) : tool, style);
  switch (state.status) {
    case "pending":
    case "running":
      return paint(`${call} ${ellipsis}`, ["dim"], style);
    case "completed": {
      const result = cleanLine(describeResult(state), style, faultLimit);
      return paint(result === "" ? call : `${call} ${arrow} ${result}`, ["dim"], style);
    }
    case "error":
      return `${paint(call, ["dim"], style)} ${paint(`failed: ${cleanLine(state.error, style, faultLimit)}`, ["warning"], style)}`;
  }
}

/** The numbers that the tool gives for people; else what it told the model first, as of a path that does not exist. */
function describeResult({ output, metadata = {} }: Extract<ToolState, { status: "completed" }>): string {
  const counts = Object.entries(metadata).flatMap(([noun, count]) =>
    typeof count === "number" ? [`${count} ${count === 1 ? singular(noun) : noun}`] : [],
  );
  if (counts.length > 0) return counts.join(", ");
  const { lines } = metadata;
  return typeof lines === "string" ? `lines ${lines}` : (output.split("\n", 1)[0] ?? "");
}

function singular(noun: string): string {
  return noun.replace(/ies$/, "y").replace(/(?<=ch)es$|s$/, "");
}
