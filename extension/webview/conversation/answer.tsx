import { activitiesOf, noteAfter } from "../../../client/answer/notes.ts";
import { builtinProvider } from "../../../server/protocol/provider.ts";
import { showInvisible } from "../../../server/protocol/invisible.ts";
import { Sources } from "../citations/sources.tsx";
import { Icon } from "../icons.tsx";
import { AnswerText } from "../markdown/answer-text.tsx";
import type { ChatState, Turn } from "../messages.ts";
import { Fold } from "../parts.tsx";
import { language, say } from "../strings.ts";
import { AnswerFooter } from "./answer-footer.tsx";
import { ErrorCard } from "./error-card.tsx";
import { Snapshots } from "./snapshots.tsx";
import { Tools } from "./tools.tsx";

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
  const note = noteAfter(turn, language);
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
      {note !== undefined && <p class="notice muted">{note}</p>}
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

/** What goes on at the moment. */
function Activity({ turn }: { turn: Turn }) {
  return (
    <ul class="activity">
      {activitiesOf(turn, language).map(({ text, fraction }, index) => (
        <li key={index}>
          <span class="pulse" />
          <span class="activity-text" dir="auto">
            {showInvisible(text)}
          </span>
          {fraction !== undefined && (
            <>
              <span class="muted">{Math.floor(fraction * 100)} %</span>
              <progress value={fraction} aria-label={showInvisible(text)} />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
