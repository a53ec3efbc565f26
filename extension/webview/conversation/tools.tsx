import { stepOf, summarizeSteps } from "../../../client/answer/steps.ts";
import { formatNumber } from "../../../server/protocol/answer-words.ts";
import type { ToolState, ToolTrace } from "../../../server/protocol/ask.ts";
import { showInvisible } from "../../../server/protocol/invisible.ts";
import { Icon } from "../icons.tsx";
import { Fold } from "../parts.tsx";
import { language, say } from "../strings.ts";

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
          <span>{summarizeSteps(tools, language)}</span>
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

function Step({ turn, trace }: { turn: string; trace: ToolTrace }) {
  const { callID, state } = trace;
  const { title, result } = stepOf(trace, language);
  return (
    <Fold
      name={`${turn}/tools/${callID}`}
      className={`step ${state.status}`}
      summary={
        <>
          <span class="step-title" dir="auto" title={showInvisible(title)}>
            {showInvisible(title)}
          </span>
          <span class="muted">{showInvisible(result)}</span>
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
        <p class="muted">{say("shortened", formatNumber(output.length - outputLength, language))}</p>
      )}
    </>
  );
}
