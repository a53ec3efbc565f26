import { runningTurn } from "../../client/conversation.ts";
import { readMentions } from "../input/mentions.ts";
import { emptyDraft, wholeText } from "./draft.ts";
import { runSlashCommand } from "./slash-commands.ts";
import { background, notify, type Tui } from "./tui-context.ts";

/** Runs the prompt: a command, a question now, or the next question while an answer is being written. */
export function submit(tui: Tui): void {
  const text = wholeText(tui.state.draft).trim();
  if (text === "") return;
  tui.state = { ...tui.state, draft: emptyDraft };
  tui.historyIndex = -1;
  void tui.history.add(text);
  if (runSlashCommand(tui, text)) return;
  if (runningTurn(tui.session.conversation) === undefined) ask(tui, text);
  else tui.state = { ...tui.state, queue: [...tui.state.queue, text] };
}

function ask(tui: Tui, question: string): void {
  tui.state = { ...tui.state, anchor: undefined, source: undefined };
  background(tui, noteMentions(tui, question));
  void tui.session.ask(question).then(() => askNext(tui));
}

async function noteMentions(tui: Tui, question: string): Promise<void> {
  const [note] = (await readMentions(tui.app, question, tui.terminal)).notes;
  if (note !== undefined) notify(tui, note, "warning");
}

/** A failed or stopped answer leaves the queued questions to the user. */
function askNext(tui: Tui): void {
  const [next, ...queue] = tui.state.queue;
  const last = tui.session.conversation.turns.at(-1);
  if (next === undefined || runningTurn(tui.session.conversation) !== undefined) return;
  if (last?.status !== "done") {
    notify(tui, "queued questions wait: Up edits them, Enter asks");
    return tui.repaint();
  }
  tui.state = { ...tui.state, queue };
  ask(tui, next);
  tui.repaint();
}
