import type { ToolState, ToolTrace } from "../../../server/protocol/ask.ts";
import { showInvisible } from "../../../server/protocol/invisible.ts";
import { Icon } from "../icons.tsx";
import { Fold } from "../parts.tsx";
import { formatNumber, joinList, say, sayCount } from "../strings.ts";

/** How much of a tool's output is shown, in UTF-16 units. */
const outputLength = 3000;

/** What the model did to find its answer, step by step; each step unfolds to what it found. */
export function Tools({ turn, tools }: { turn: string; tools: readonly ToolTrace[] }) {
  return (
    <Fold
      name={`${turn}/tools`}
      className="tools"
      summary={
        <>
          <Icon name="tool" />
          <span>{summarizeTools(tools)}</span>
        </>
      }
    >
      <ol>
        {tools.map((trace) => (
          <li key={trace.callID}>
            <Step turn={turn} trace={trace} />
          </li>
        ))}
      </ol>
    </Fold>
  );
}

export function summarizeTools(tools: readonly ToolTrace[]): string {
  const failed = tools.filter(({ state }) => state.status === "error").length;
  if (failed === 0) return sayCount("stepOne", "steps", tools.length);
  return sayCount("stepFailedOne", "stepsFailed", tools.length, formatNumber(failed));
}

export function titleOfTool({ tool, state }: ToolTrace): string {
  const { query, pattern, path } = state.input;
  const [about = ""] = [query, pattern, path].filter((value) => typeof value === "string");
  const title = "title" in state ? state.title : undefined;
  return showInvisible(title ?? `${tool} ${about}`.trim());
}

function Step({ turn, trace }: { turn: string; trace: ToolTrace }) {
  const { callID, state } = trace;
  return (
    <Fold
      name={`${turn}/tools/${callID}`}
      className={`step ${state.status}`}
      summary={
        <>
          <span class="step-title" dir="auto" title={titleOfTool(trace)}>
            {titleOfTool(trace)}
          </span>
          <span class="muted">{describeResult(state)}</span>
        </>
      }
    >
      <StepOutput state={state} />
    </Fold>
  );
}

function StepOutput({ state }: { state: ToolState }) {
  if (state.status === "error") return <p>{showInvisible(state.error)}</p>;
  if (state.status !== "completed") return <p class="muted">{say("working")}</p>;
  const { output } = state;
  if (output.trim() === "") return <p class="muted">{say("noOutput")}</p>;
  return (
    <>
      <pre class="output" tabIndex={0} dir="ltr">
        {showInvisible(output.slice(0, outputLength))}
      </pre>
      {output.length > outputLength && (
        <p class="muted">{say("shortened", formatNumber(output.length - outputLength))}</p>
      )}
    </>
  );
}

/** The numbers that the tool gives for people; else the lines it read. */
function describeResult(state: ToolState): string {
  if (state.status === "error") return say("failed");
  if (state.status !== "completed") return say("running");
  const { metadata = {} } = state;
  const counts = Object.entries(metadata).flatMap(([noun, count]) =>
    typeof count === "number" ? [`${formatNumber(count)} ${count === 1 ? singular(noun) : noun}`] : [],
  );
  if (counts.length > 0) return joinList(counts);
  return typeof metadata["lines"] === "string" ? say("lines", metadata["lines"]) : "";
}

function singular(noun: string): string {
  return noun.replace(/ies$/, "y").replace(/(?<=ch)es$|s$/, "");
}
