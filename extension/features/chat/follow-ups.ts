import * as vscode from "vscode";
import type { Conversation } from "../../../client/conversation.ts";
import { isProved } from "../../../server/protocol/citation.ts";
import type { Server } from "../../context.ts";

/** What one may ask after the last answer. */
export interface FollowUpQuestions {
  /** The questions of this turn of the conversation; empty until they are known. */
  of(conversation: Conversation): readonly string[];
  /** Looks for those of the last answer, unless they are known or being looked for. Never rejects. */
  load(conversation: Conversation): Promise<void>;
}

export function createFollowUpQuestions(server: Pick<Server, "request">): FollowUpQuestions {
  let known: { turn: string; questions: readonly string[] } | undefined;
  let looking: { turn: string; source: vscode.CancellationTokenSource } | undefined;

  return {
    of({ turns }) {
      const last = turns.at(-1);
      return last?.status === "done" && last.id === known?.turn ? known.questions : [];
    },
    async load({ turns }) {
      const last = turns.at(-1);
      if (last?.id === known?.turn || last?.id === looking?.turn) return;
      looking?.source.cancel();
      looking = undefined;
      if (last?.status !== "done") return;
      const citations = last.answer.citations
        .filter((citation) => isProved(citation) && citation.commit === undefined)
        .map(({ resource, path, startLine, endLine }) => ({ resource, path, startLine, endLine }));
      if (citations.length === 0) return;
      const source = new vscode.CancellationTokenSource();
      looking = { turn: last.id, source };
      const asked = turns.map(({ question }) => question);
      try {
        const { questions } = await server.request("followUps", { citations, asked }, { token: source.token });
        known = { turn: last.id, questions };
      } catch {
        // Nothing is suggested.
        known = { turn: last.id, questions: [] };
      } finally {
        if (looking?.source === source) looking = undefined;
        source.dispose();
      }
    },
  };
}
