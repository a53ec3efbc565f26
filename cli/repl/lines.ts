import type { Conversation } from "../../client/conversation.ts";
import type { ConnectedApp } from "../app/open-app.ts";
import { interruptible } from "../input/interruptible.ts";
import { readMentions } from "../input/mentions.ts";
import { createAnswerView } from "../output/answer-view.ts";
import { offersNote } from "../prompt/offers.ts";
import { openSession } from "../prompt/open-session.ts";
import type { PickerItem, PromptContext } from "../prompt/prompt-context.ts";
import { readCommand } from "../prompt/slash-commands.ts";
import { cleanLine } from "../render/clean.ts";
import type { Style } from "../render/style.ts";
import { formatFor, formatWrapped } from "../render/table.ts";
import { renderThread } from "../render/thread.ts";
import { type Terminal, write } from "../terminal.ts";
import type { Keyboard } from "./keyboard.ts";
import { lineKeys } from "./line-keys.ts";
import type { ReplOptions } from "./repl.ts";

/** The conversation in lines that are only appended. */
export interface Lines {
  readonly context: PromptContext;
  /**
   * Runs a command or asks a question, and prints what comes of it.
   * @throws what the command or the question failed with; a cancelled question has not failed
   */
  run(typed: string): Promise<void>;
}

/** Creates a conversation whose answers, lists and notices are printed as they come. */
export function createLines({
  app,
  lookups,
  options,
  style,
  terminal,
  interruptible: whileAsking,
  quit,
}: Pick<PromptContext, "lookups" | "style" | "terminal" | "quit"> &
  Pick<Keyboard, "interruptible"> & { app: ConnectedApp; options: ReplOptions }): Lines {
  const { stdout, stderr } = terminal;
  let view = createAnswerView(options, terminal);
  let typed = "";
  const session = openSession(app, terminal, async (change) => {
    if (change.type === "event") await view.event(change.event);
    if (change.type === "thread-deleted") view.note("the conversation was deleted; a new one begins here");
    if (change.type === "shown") await write(stdout, renderConversation(session.conversation, style));
  });

  const context: PromptContext = {
    app,
    session,
    lookups,
    server: options.server,
    style,
    terminal,
    resources: [],
    preferences: options.preferences,
    keys: lineKeys(style),
    notify(text, mark = "dim") {
      (mark === "warning" || mark === "bad" ? stderr : stdout).write(`${cleanLine(text, style)}\n`);
    },
    pick(_title, items) {
      stdout.write(renderList(items, { typed, style, terminal }));
      return undefined;
    },
    mention(name) {
      session.choose([name]);
      context.notify(`the next question is about ${name}`);
    },
    ask,
    async runProgram(args) {
      const { runProgram } = await import("../program.ts");
      // Prompts move the cursor: in linear mode the command fails without its arguments.
      const all = style.linear ? [...args, "--no-input"] : args;
      await interruptible(terminal.signal, async (signal) => {
        await runProgram(all, { ...terminal, signal });
        if (signal.aborted) await write(stderr, "cancelled\n");
      });
      // Its prompts pause the input.
      terminal.stdin.resume();
    },
    // The terminal has the mouse, whatever is chosen for the full screen.
    setMouse() {},
    quit,
  };

  async function ask(question: string, resources: readonly string[] = []): Promise<void> {
    const mentions = await readMentions(app, question, terminal);
    if (mentions.question === "") return session.choose(mentions.resources);
    if (style.linear) await write(stdout, "Citewell:\n");
    view = createAnswerView(options, terminal);
    for (const note of mentions.notes) view.note(note);
    const { turn, failure } = await whileAsking((signal) => {
      signal.addEventListener("abort", session.stop, { once: true });
      return session.ask(question, { resources });
    });
    const { answer, status } = turn;
    if (status === "done") await view.finished(answer);
    else await view.failed(answer, failure);
    const offers = offersNote(answer);
    if (offers !== undefined) view.note(offers);
    if (status === "failed") throw failure;
    terminal.signal.throwIfAborted();
    if (status === "cancelled") await write(stderr, "cancelled\n");
  }

  return {
    context,
    async run(line) {
      typed = line;
      const command = readCommand(line);
      await (command === undefined ? ask(line) : command(context));
    },
  };
}

function renderConversation({ turns }: Conversation, style: Style): string {
  if (turns.length === 0) return "a new conversation\n";
  const shown = turns.map(({ question, answer, status }) => ({
    ...answer,
    question,
    ended: status === "failed" || status === "cancelled" ? status : undefined,
  }));
  return `${renderThread({ turns: shown }, style)}\n`;
}

/** More are not read through. */
const listedItems = 20;

/** The items with their numbers, and how one is chosen; those that are only read without. */
function renderList(
  items: readonly PickerItem[],
  { typed, style, terminal: { stdout } }: { typed: string; style: Style; terminal: Terminal },
): string {
  if (items.every(({ choose }) => choose === undefined)) {
    const rows = items.map(({ label, detail = "" }): [string, string] => [label, detail]);
    return formatWrapped(rows, stdout.columns || 80);
  }
  const rows = items
    .slice(0, listedItems)
    .map(({ label, detail = "" }, index) => [String(index + 1), cleanLine(label, style), cleanLine(detail, style)]);
  const more = items.length > listedItems ? `and ${items.length - listedItems} more\n` : "";
  return `${formatFor(stdout, rows)}${more}\nto choose the first: ${typed} 1\n`;
}
