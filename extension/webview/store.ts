import { type Answer, type AskEvent, type AskEventOf, foldAnswer } from "../../server/protocol/ask.ts";
import type { ChatState, ToWebview, Turn } from "./messages.ts";

/** A turn, with what arrives for it at the moment by resource. */
export interface ViewTurn extends Turn {
  arriving?: Readonly<Record<string, AskEventOf<"progress">>>;
}

export interface ChatView extends Omit<ChatState, "turns"> {
  turns: readonly ViewTurn[];
}

/** Whether the server has told of model and resources yet: after a cold start that takes a moment. */
export function isTold({ model }: ChatView): boolean {
  return model !== undefined;
}

/** Cited lines, as the host has read them. */
export type Preview = Extract<ToWebview, { type: "preview" }>;

export function previewKey(turn: string, citation: string): string {
  return `${turn}/${citation}`;
}

/** Turns that are as they were stay the same objects, so that they are not drawn again. */
export function takeState(view: ChatView | undefined, state: ChatState): ChatView {
  const turns = state.turns.map((turn) => {
    const before = view?.turns.find(({ id }) => id === turn.id);
    if (before === undefined) return turn;
    return isSame(before, turn) ? before : { ...turn, answer: keepCitations(before.answer, turn.answer) };
  });
  return { ...state, turns };
}

export function takeEvent(view: ChatView, turnId: string, event: AskEvent): ChatView {
  const index = view.turns.findIndex(({ id }) => id === turnId);
  const turn = view.turns[index];
  return turn === undefined ? view : { ...view, turns: view.turns.with(index, advance(turn, event)) };
}

function advance(turn: ViewTurn, event: AskEvent): ViewTurn {
  switch (event.type) {
    case "progress":
      return { ...turn, arriving: { ...turn.arriving, [event.resource]: event } };
    case "meta":
      return { ...withoutArriving(turn), answer: foldAnswer(turn.answer, event) };
    case "error": {
      const { message, tag, hint } = event;
      const isCancelled = tag === "Cancelled";
      const error = { error: message, tag, ...(hint === undefined ? {} : { hint }) };
      return {
        ...withoutArriving(turn),
        status: isCancelled ? "cancelled" : "failed",
        ...(isCancelled ? {} : { error }),
      };
    }
    case "done":
      return { ...turn, status: "done", answer: keepCitations(turn.answer, foldAnswer(turn.answer, event)) };
    case "reasoning.delta":
    case "text.delta":
    case "tool.updated":
      return { ...withoutRetry(turn), answer: foldAnswer(turn.answer, event) };
  }
}

/** The model answers: it is no longer waited for. */
function withoutRetry(turn: ViewTurn): ViewTurn {
  const arriving = Object.entries(turn.arriving ?? {});
  const rest = arriving.filter(([, { retry }]) => retry === undefined);
  return rest.length === arriving.length ? turn : { ...turn, arriving: Object.fromEntries(rest) };
}

function withoutArriving({ arriving: _arriving, progress: _progress, ...turn }: ViewTurn): ViewTurn {
  return turn;
}

/** The same objects where nothing has changed: the text is not drawn again. */
function keepCitations(before: Answer, answer: Answer): Answer {
  const isSame = JSON.stringify(before.citations) === JSON.stringify(answer.citations);
  return isSame ? { ...answer, citations: before.citations } : answer;
}

/** Finished turns only: a running one is replaced by what the host says. */
function isSame({ arriving: _arriving, ...before }: ViewTurn, turn: Turn): boolean {
  return turn.status !== "running" && JSON.stringify(before) === JSON.stringify(turn);
}
