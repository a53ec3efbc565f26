import { builtinProvider } from "../../../server/protocol/provider.ts";
import { showInvisible } from "../../../server/protocol/invisible.ts";
import { Sources } from "../citations/sources.tsx";
import { Icon } from "../icons.tsx";
import { AnswerText } from "../markdown/answer-text.tsx";
import type { ChatState, Turn } from "../messages.ts";
import { Fold } from "../parts.tsx";
import { say } from "../strings.ts";
import { AnswerFooter } from "./answer-footer.tsx";
import { ErrorCard } from "./error-card.tsx";
import { Snapshots, Warning } from "./snapshots.tsx";
import { Tools, titleOfTool } from "./tools.tsx";

export interface AnswerProps {
  turn: Turn;
  settings: ChatState["settings"];
  canAsk: boolean;
}

/** What has come of a question: how it was found, the text, what proves it, and what it took. */
export function AnswerView({ turn, settings, canAsk }: AnswerProps) {
  const { id, answer, status, error } = turn;
  const isRunning = status === "running";
  /** Without one the reasoning only names the steps below. */
  const isModel = answer.model.provider !== builtinProvider;
  const hasText = answer.text.trim() !== "";
  return (
    <div class="answer">
      <h3 class="hidden">
        {answer.model.model === "" ? say("answer") : say("answerOf", showInvisible(answer.model.model))}
      </h3>
      <Snapshots turn={id} answer={answer} />
      {settings.showReasoning && answer.reasoning !== "" && isModel && <Reasoning turn={id} text={answer.reasoning} />}
      {settings.showTools && answer.tools.length > 0 && <Tools turn={id} tools={answer.tools} />}
      <AnswerText turn={id} text={answer.text} citations={answer.citations} isOpen={isRunning} />
      {isRunning && <Activity turn={turn} />}
      {answer.stopped !== undefined && <Warning title={say("stopped")} text={answer.stopped.message} />}
      {status === "cancelled" && <p class="notice muted">{say(hasText ? "cancelled" : "cancelledEmpty")}</p>}
      {status === "done" && !hasText && <p class="notice muted">{say("emptyAnswer")}</p>}
      {error !== undefined && status === "failed" && <ErrorCard error={error} turn={canAsk ? id : undefined} />}
      {!isRunning && hasText && <Sources turn={id} citations={answer.citations} snapshots={answer.snapshots} />}
      {!isRunning && (hasText || status !== "failed") && <AnswerFooter turn={turn} canAsk={canAsk} />}
    </div>
  );
}

function Reasoning({ turn, text }: { turn: string; text: string }) {
  return (
    <Fold
      name={`${turn}/reasoning`}
      className="reasoning"
      summary={
        <>
          <Icon name="model" />
          <span>{say("reasoning")}</span>
        </>
      }
    >
      <p dir="auto">{showInvisible(text)}</p>
    </Fold>
  );
}

/** What goes on at the moment: resources that arrive, the tool at work, or that the model thinks. */
function Activity({ turn }: { turn: Turn }) {
  const arriving = Object.values(turn.arriving ?? {});
  const lines =
    arriving.length > 0
      ? arriving.map(({ resource, message, fraction }) => ({ resource, message: showInvisible(message), fraction }))
      : [{ resource: "", message: showInvisible(activityOf(turn)), fraction: undefined }];
  return (
    <ul class="activity">
      {lines.map(({ resource, message, fraction }) => (
        <li key={resource}>
          <span class="pulse" />
          <span class="activity-text" dir="auto">
            {message}
          </span>
          {fraction !== undefined && (
            <>
              <span class="muted">{Math.floor(fraction * 100)} %</span>
              <progress value={fraction} aria-label={message} />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

function activityOf({ answer }: Turn): string {
  const tool = answer.tools.findLast(({ state }) => state.status === "running" || state.status === "pending");
  if (tool !== undefined) return titleOfTool(tool);
  return say(answer.text === "" && answer.reasoning !== "" ? "thinking" : "working");
}
