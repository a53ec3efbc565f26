import { runningTurn } from "../../client/conversation.ts";
import { readMentions } from "../input/mentions.ts";
import { offersNote } from "../prompt/offers.ts";
import { readCommand } from "../prompt/slash-commands.ts";
import { emptyDraft, wholeText } from "./draft.ts";
import { background, notify, type Tui } from "./tui-context.ts";

/** Runs the prompt: a command, a question now, or the next question while an answer is being written. */
export function submit(tui: Tui): void {
  const text = wholeText(tui.state.draft).trim();
  if (text === "") return;
  tui.state = { ...tui.state, draft: emptyDraft };
  tui.historyIndex = -1;
  void tui.history.add(text);
  const run = readCommand(text);
  if (run !== undefined) background(tui, run(tui));
  else if (runningTurn(tui.session.conversation) === undefined) ask(tui, text);
  else tui.state = { ...tui.state, queue: [...tui.state.queue, text] };
}

/** Asks now, about these resources as well as those that the question mentions. */
export function ask(tui: Tui, question: string, resources: readonly string[] = []): void {
  tui.state = { ...tui.state, anchor: undefined, source: undefined };
  background(tui, noteMentions(tui, question));
  background(tui, answer(tui, question, resources));
}

async function answer(tui: Tui, question: string, resources: readonly string[]): Promise<void> {
  const { turn } = await tui.session.ask(question, { resources });
  const offers = offersNote(turn.answer);
  if (offers !== undefined) notify(tui, offers);
  askNext(tui);
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
    return notify(tui, "queued questions wait: Up edits them, Enter asks");
  }
  tui.state = { ...tui.state, queue };
  ask(tui, next);
}
