import * as vscode from "vscode";
import { type Conversation, runningTurn, type Turn } from "../../../client/conversation.ts";
import type { AskOptions, Session } from "../../../client/session.ts";
import type { Citation } from "../../../server/protocol/citation.ts";
import type { Citations, Citewell } from "../../context.ts";
import { conversationMarkdown } from "../../../client/thread-markdown.ts";

/** What commands and the page do with the conversation. */
export interface ChatActions {
  /** These ask the user first if an answer is running. They return whether they went ahead. */
  ask(question: string, options: AskOptions): Promise<boolean>;
  askAgain(turn: Turn, question: string, options?: Pick<AskOptions, "resources">): Promise<boolean>;
  show(conversation: Conversation): Promise<boolean>;
  findTurn(id: string): Turn | undefined;
  findCitation(place: { turn: string; citation: string }): Citation | undefined;
  /** Undefined without a turn. */
  markdown(): Promise<string | undefined>;
}

/** Creates the actions of a conversation; those that replace an answer in progress ask the user first. */
export function createChatActions(
  { server, changes }: Citewell,
  { session, citations }: { session: Session; citations: Citations },
): ChatActions {
  const findTurn = (id: string) => session.conversation.turns.find((turn) => turn.id === id);

  /** Runs the action if no answer is running, or the user agrees to stop it. */
  async function goAhead(action: () => Promise<unknown> | void): Promise<boolean> {
    const isFree = runningTurn(session.conversation) === undefined || (await confirmStop());
    if (!isFree) return false;
    session.stop();
    void action()?.then(() => changes.fire("threads"));
    return true;
  }

  return {
    ask: (question, options) => goAhead(() => session.ask(question, options)),
    askAgain: (turn, question, options) =>
      goAhead(() => {
        citations.clear();
        return session.askAgain(turn, question, options);
      }),
    show: (conversation) =>
      goAhead(() => {
        // The marked lines belong to an answer that is no longer shown.
        citations.clear();
        session.show(conversation);
      }),
    findTurn,
    findCitation: ({ turn, citation }) => findTurn(turn)?.answer.citations.find(({ id }) => id === citation),
    async markdown() {
      const { thread } = session.conversation;
      // The thread has the cited lines; without them the export is poorer, but not wrong.
      const stored = thread && (await server.request("getThread", { id: thread.id }).catch(() => undefined));
      return conversationMarkdown(session.conversation, { stored });
    },
  };
}

async function confirmStop(): Promise<boolean> {
  const stopAndGoOn = vscode.l10n.t("Stop and Go On");
  const message = vscode.l10n.t("Citewell is still answering. Stop this answer?");
  const detail = vscode.l10n.t("The partial answer is kept.");
  return (await vscode.window.showWarningMessage(message, { modal: true, detail }, stopAndGoOn)) === stopAndGoOn;
}
