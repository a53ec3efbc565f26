import * as vscode from "vscode";
import type { Session } from "../../../client/session.ts";
import type { Citations } from "../../context.ts";
import type { ChatActions } from "./chat-actions.ts";
import type { ChatView } from "./chat-view.ts";
import type { Page, PageMessage } from "./pages.ts";
import type { Previews } from "./previews.ts";
import type { ProjectFiles } from "./project-files.ts";

export interface Receivers {
  session: Session;
  view: ChatView;
  actions: ChatActions;
  citations: Citations;
  previews: Previews;
  files: ProjectFiles;
  /** That the message comes from. */
  page: Page;
}

/** Does what the user did in a page of the chat. */
export async function receiveMessage(message: PageMessage, receivers: Receivers): Promise<void> {
  const { session, view, actions, citations, files, page } = receivers;
  switch (message.type) {
    case "ask":
      return askFromBox(message.question, receivers);
    case "followUp":
      await actions.ask(message.question, {});
      return;
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
      if (citation !== undefined) await citations.open(citation, { ...message, column: page.column });
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
    case "findFiles":
      return page.post({ type: "files", query: message.query, files: [...(await files.find(message.query))] });
    case "attachFile": {
      const attachment = await files.read(message);
      if (attachment !== undefined) view.attachments.add(attachment);
      return;
    }
    case "detach":
      return view.attachments.remove(message);
    case "run":
      return run(message.command, session);
  }
}

async function askFromBox(question: string, { view, actions, files, page }: Receivers): Promise<void> {
  for (const file of question.includes("#") ? await files.namedIn(question) : []) {
    const attachment = await files.read(file);
    if (attachment !== undefined) view.attachments.add(attachment);
  }
  if (await actions.ask(question, { attachments: view.attachments.all })) view.attachments.clear();
  // The page has emptied its box.
  else page.post({ type: "compose", text: question });
}

/** A choice that is cancelled leaves the answer as it is. */
async function explain(id: string, { view, actions }: Receivers): Promise<void> {
  if (!(await view.hasModel())) await vscode.commands.executeCommand("citewell.chooseModel");
  const turn = (await view.hasModel()) ? actions.findTurn(id) : undefined;
  if (turn !== undefined) await actions.askAgain(turn, turn.question);
}

async function preview(
  { turn, citation: id }: Extract<PageMessage, { type: "previewCitation" }>,
  { actions, previews, page }: Receivers,
): Promise<void> {
  const citation = actions.findCitation({ turn, citation: id });
  if (citation === undefined) return;
  const shown = await previews.of(citation, actions.findTurn(turn)?.cited ?? []);
  page.post({ type: "preview", turn, citation: id, ...shown });
}

async function run(command: string, { conversation: { thread } }: Session): Promise<void> {
  const about = command === "recheckThread" && thread !== undefined ? [{ id: thread.id }] : [];
  await vscode.commands.executeCommand(`citewell.${command}`, ...about);
}

const schemes = ["http:", "https:", "mailto:"];

/** Whether a link of an answer may leave the editor: files, commands and other programs are never reached by one. */
function isOpenable(url: string): boolean {
  return URL.canParse(url) && schemes.includes(new URL(url).protocol);
}

/** Opens a link of an answer in the browser; the editor itself asks about hosts that are not trusted. */
async function openLink(url: string): Promise<void> {
  if (isOpenable(url)) await vscode.env.openExternal(vscode.Uri.parse(url, true));
}
