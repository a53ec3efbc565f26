import {
  type Conversation,
  endTurn,
  receiveEvent,
  runningTurn,
  startTurn,
  turnsBefore,
  withoutThread,
} from "../../client/conversation.ts";
import type { AskEvent } from "../../server/protocol/ask.ts";
import type { ChatSetup, ToWebview, Turn } from "./messages.ts";

export interface ChatView extends ChatSetup, Conversation<Turn> {}

/** Whether the server has reported model and resources yet: after a cold start that takes a moment. */
export function isReported({ model }: ChatView): boolean {
  return model !== undefined;
}

/** Cited lines, as the host has read them. */
export type Preview = Extract<ToWebview, { type: "preview" }>;

export function previewKey(turn: string, citation: string): string {
  return `${turn}/${citation}`;
}

/** The files for what was typed last. */
export type FoundFiles = Pick<Extract<ToWebview, { type: "files" }>, "query" | "files">;

export type ViewMessage = Exclude<ToWebview, { type: "preview" | "compose" | "move" | "files" }>;

/** Applies a message of the host. Turns that it does not change stay the same objects, so that they are not drawn again. */
export function applyMessage(view: ChatView | undefined, message: ViewMessage): ChatView | undefined {
  if (message.type === "state") return message.state;
  if (view === undefined) return undefined;
  if (message.type !== "setup") return { ...view, ...changeConversation(view, message) };
  const { thread, replacedSince, turns } = view;
  return { thread, replacedSince, turns, ...message.setup };
}

function changeConversation(
  view: ChatView,
  message: Exclude<ViewMessage, { type: "state" | "setup" }>,
): Conversation<Turn> {
  switch (message.type) {
    case "started":
      return startTurn(message.replaces === undefined ? view : turnsBefore(view, message.replaces), message.turn);
    case "event":
      return keepCitations(view, receiveEvent<Turn>(view, message.event), message.event);
    case "thread-deleted":
      return withoutThread(view);
    case "ended":
      return endTurn(view, message.outcome);
  }
}

/** `done` repeats the citations: where none changed, the old objects stay, so that the text is not drawn again. */
function keepCitations(before: ChatView, after: Conversation<Turn>, { type }: AskEvent): Conversation<Turn> {
  const [old, turn] = [runningTurn(before), runningTurn(after)];
  if (type !== "done" || old === undefined || turn === undefined) return after;
  const { citations } = old.answer;
  if (JSON.stringify(citations) !== JSON.stringify(turn.answer.citations)) return after;
  const unchanged = { ...turn, answer: { ...turn.answer, citations } };
  return { ...after, turns: [...after.turns.slice(0, -1), unchanged] };
}
