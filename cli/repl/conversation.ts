import { createSession, type EndedTurn, type Session } from "../../client/session.ts";
import { callOperation } from "../../server/transports/call-operation.ts";
import type { ConnectedApp } from "../app/open-app.ts";
import { wordingOf } from "../input/option-names.ts";
import { type AnswerViewOptions, createAnswerView } from "../output/answer-view.ts";
import type { Terminal } from "../terminal.ts";
import { includeLine } from "./commands.ts";

/** The conversation at the terminal: a session whose answers are printed as they come. */
export interface PrintedConversation {
  session: Session;
  /** Prints the notes, asks and prints until the server has finished with the question; `signal` stops it. Never throws. */
  ask(
    question: string,
    options: { resources: readonly string[]; notes: readonly string[]; signal: AbortSignal },
  ): Promise<EndedTurn>;
}

/** Creates a conversation that prints its answers. */
export function createPrintedConversation(
  app: ConnectedApp,
  options: AnswerViewOptions,
  terminal: Terminal,
): PrintedConversation {
  let view = createAnswerView(options, terminal);
  const session = createSession({
    async ask(request, { signal, onEvent }) {
      for await (const event of callOperation(app, "ask", request, { signal }, wordingOf("ask"))) await onEvent(event);
    },
    async onChange(change) {
      if (change.type === "event") await view.event(change.event);
      if (change.type === "thread-deleted") view.note("the conversation was deleted; a new one begins here");
    },
  });
  return {
    session,
    async ask(question, { resources, notes, signal }) {
      view = createAnswerView(options, terminal);
      for (const note of notes) view.note(note);
      signal.addEventListener("abort", session.stop, { once: true });
      const ended = await session.ask(question, { resources });
      const { answer, status } = ended.turn;
      if (status === "done") await view.finished(answer);
      else await view.failed(answer, ended.failure);
      const { offers = [] } = answer;
      const names = offers.map(({ name, version }) => `${name} ${version}`).join(", ");
      const them = offers.length === 1 ? "it" : "them";
      if (offers.length > 0) view.note(`installed here: ${names}; type ${includeLine} to ask about ${them} as well`);
      return ended;
    },
  };
}
