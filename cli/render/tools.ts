import type { ToolState, ToolTrace } from "../../server/protocol/ask.ts";
import { cleanLine } from "./clean.ts";
import { paintSpans, type Span } from "./spans.ts";
import { glyphsOf, type Style } from "./style.ts";

/** How much of what went wrong is shown, in characters. */
const faultLimit = 160;

/** One line for a tool call and its state: `search “retry after” → 8 passages`. Without a line end. */
export function renderTool(trace: Pick<ToolTrace, "tool" | "state">, style: Style): string {
  return paintSpans(toolSpans(trace, style), style);
}

/** The same as spans. */
export function toolSpans({ tool, state }: Pick<ToolTrace, "tool" | "state">, style: Style): Span[] {
  const { arrow, ellipsis } = glyphsOf(style);
  const call = cleanLine("title" in state ? (state.title ?? tool) : tool, style);
  switch (state.status) {
    case "pending":
    case "running":
      return [{ text: `${call} ${ellipsis}`, marks: ["dim"] }];
    case "completed": {
      const result = cleanLine(describeResult(state), style, faultLimit);
      return [{ text: result === "" ? call : `${call} ${arrow} ${result}`, marks: ["dim"] }];
    }
    case "error": {
      const fault = `failed: ${cleanLine(state.error, style, faultLimit)}`;
      return [
        { text: call, marks: ["dim"] },
        { text: " ", marks: [] },
        { text: fault, marks: ["warning"] },
      ];
    }
  }
}

/** The numbers in the tool's metadata, else the first line of its output, such as a path that does not exist. */
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
