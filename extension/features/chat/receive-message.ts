import * as vscode from "vscode";
import type { Session } from "../../../client/session.ts";
import type { Citations } from "../../context.ts";
import type { FromWebview } from "../../webview/messages.ts";
import type { ChatActions } from "./chat-actions.ts";
import type { ChatView } from "./chat-view.ts";
import { openLink } from "./links.ts";
import type { Previews } from "./previews.ts";

export type PageMessage = Exclude<FromWebview, { type: "ready" }>;

export interface Receivers {
  session: Session;
  view: ChatView;
  actions: ChatActions;
  citations: Citations;
  previews: Previews;
}

/** Does what the user did in the chat's page. */
export async function receiveMessage(message: PageMessage, receivers: Receivers): Promise<void> {
  const { session, view, actions, citations } = receivers;
  switch (message.type) {
    case "ask":
      return askFromBox(message.question, receivers);
    case "stop":
      return session.stop();
    case "retry":
    case "edit": {
      const turn = actions.findTurn(message.turn);
      if (turn !== undefined) await actions.askAgain(turn, message.type === "edit" ? message.question : turn.question);
      return;
    }
    case "explain":
      return explain(message.turn, receivers);
    case "include": {
      const turn = actions.findTurn(message.turn);
      if (turn === undefined) return;
      await actions.askAgain(turn, turn.question, { resources: [...turn.answer.resources, message.reference] });
      return;
    }
    case "openCitation": {
      const citation = actions.findCitation(message);
      if (citation !== undefined) await citations.open(citation, message);
      return;
    }
    case "previewCitation":
      return preview(message, receivers);
    case "openLink":
      return openLink(message.url);
    case "copy": {
      const { turn } = message;
      const text = turn === undefined ? await actions.markdown() : actions.findTurn(turn)?.answer.text;
      return text === undefined ? undefined : vscode.env.clipboard.writeText(text);
    }
    case "copyText":
      return vscode.env.clipboard.writeText(message.text);
    case "export":
      return run("exportConversation", session);
    case "detach":
      return view.attach(undefined);
    case "run":
      return run(message.command, session);
    case "focus":
      return view.setFocused(message.isInView);
  }
}

async function askFromBox(question: string, { view, actions }: Receivers): Promise<void> {
  const { attachment } = view;
  if (await actions.ask(question, { attachment })) view.attach(undefined);
  // The page has emptied its box.
  else view.post({ type: "compose", text: question });
}

/** A choice that is cancelled leaves the answer as it is. */
async function explain(id: string, { view, actions }: Receivers): Promise<void> {
  if (!(await view.hasModel())) await vscode.commands.executeCommand("citewell.chooseModel");
  const turn = (await view.hasModel()) ? actions.findTurn(id) : undefined;
  if (turn !== undefined) await actions.askAgain(turn, turn.question);
}

async function preview(
  { turn, citation: id }: Extract<PageMessage, { type: "previewCitation" }>,
  { view, actions, previews }: Receivers,
): Promise<void> {
  const citation = actions.findCitation({ turn, citation: id });
  if (citation === undefined) return;
  const shown = await previews.of(citation, actions.findTurn(turn)?.cited ?? []);
  view.post({ type: "preview", turn, citation: id, ...shown });
}

async function run(command: string, { conversation: { thread } }: Session): Promise<void> {
  const about = command === "recheckThread" && thread !== undefined ? [{ id: thread.id }] : [];
  await vscode.commands.executeCommand(`citewell.${command}`, ...about);
}
