import { useMemo } from "preact/hooks";
import type { ChatState, Turn } from "../messages.ts";
import { AnswerView } from "./answer.tsx";
import { Question } from "./question.tsx";

/** One question and what has come of it. Not drawn again while nothing of it has changed. */
export function TurnItem(props: { turn: Turn; showReasoning: boolean; showTools: boolean; canAsk: boolean }) {
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
