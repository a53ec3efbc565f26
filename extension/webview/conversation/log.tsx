import type { RefObject } from "preact";
import { showInvisible } from "../../../server/protocol/invisible.ts";
import { useChat } from "../chat-context.ts";
import { Icon } from "../icons.tsx";
import { type ChatView, isReported } from "../store.ts";
import { say } from "../strings.ts";
import { WelcomePage } from "./welcome.tsx";
import { useMemo } from "preact/hooks";
import type { ChatState, Turn } from "../messages.ts";
import { AnswerView } from "./answer.tsx";
import { Question } from "./question.tsx";

/** The turns; before the first one the welcome page, and before the host has replied a placeholder. */
export function ConversationLog(props: {
  log: RefObject<HTMLDivElement | null>;
  view: ChatView | undefined;
  isAnswering: boolean;
  onScroll: () => void;
  onExample: (text: string) => void;
}) {
  const { log, view, isAnswering, onScroll, onExample } = props;
  const turns = view?.turns ?? [];
  const isStarting = view === undefined || (turns.length === 0 && view.welcome === "ready" && !isReported(view));
  return (
    <div class="log" ref={log} role="log" aria-live="off" aria-label={say("conversation")} onScroll={onScroll}>
      {isStarting && <Skeleton />}
      {!isStarting && turns.length === 0 && <WelcomePage view={view} onExample={onExample} />}
      <ol class="turns" hidden={turns.length === 0}>
        {turns.map((turn) => (
          <TurnItem
            key={turn.id}
            turn={turn}
            showReasoning={view?.settings.showReasoning ?? true}
            showTools={view?.settings.showTools ?? true}
            canAsk={!isAnswering}
          />
        ))}
      </ol>
      <FollowUps questions={isAnswering ? [] : (view?.followUps ?? [])} />
      {turns.length > 0 && !isAnswering && <ConversationActions />}
    </div>
  );
}

/** What one may ask next. Always there, so that its growth is noticed where the end of the log is followed. */
function FollowUps({ questions }: { questions: readonly string[] }) {
  const { send } = useChat();
  return (
    <section class="follow-ups" aria-label={say("followUps")} hidden={questions.length === 0}>
      <ul>
        {questions.map((question) => (
          <li key={question}>
            <button type="button" class="example" dir="auto" onClick={() => send({ type: "followUp", question })}>
              {showInvisible(question)}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function ConversationActions() {
  const { send, announce } = useChat();
  function copyAll(): void {
    send({ type: "copy" });
    announce(say("copied"));
  }
  return (
    <div class="conversation-actions">
      <button type="button" class="pick" onClick={copyAll}>
        <Icon name="copy" />
        {say("copyAll")}
      </button>
      <button type="button" class="pick" onClick={() => send({ type: "export" })}>
        <Icon name="export" />
        {say("exportAll")}
      </button>
    </div>
  );
}

function Skeleton() {
  return (
    <p class="skeleton" aria-busy="true">
      <span class="hidden">{say("loading")}</span>
    </p>
  );
}

/** One question and what has come of it. Not drawn again while nothing of it has changed. */
function TurnItem(props: { turn: Turn; showReasoning: boolean; showTools: boolean; canAsk: boolean }) {
  const { turn, showReasoning, showTools, canAsk } = props;
  return useMemo(() => {
    const settings: ChatState["settings"] = { showReasoning, showTools };
    return (
      <li
        class={turn.status === "running" ? "turn running" : "turn"}
        data-turn={turn.id}
        aria-busy={turn.status === "running"}
      >
        <Question turn={turn} canAsk={canAsk} />
        <AnswerView turn={turn} settings={settings} canAsk={canAsk} />
      </li>
    );
  }, [turn, showReasoning, showTools, canAsk]);
}
