import { emptyConversation } from "../../client/conversation.ts";
import { nearest } from "../../server/lib/nearest.ts";
import { completeAdd } from "./complete-add.ts";
import { completePath } from "./complete-path.ts";
import type { Completion } from "./completion.ts";
import { conversationMarkdown } from "../../client/thread-markdown.ts";
import { copy } from "./copy.ts";
import { exportConversation, nothingToWrite } from "./export-conversation.ts";
import { helpLines } from "./help.ts";
import { changeMouse } from "./mouse-command.ts";
import { inNormalScreen } from "./normal-screen.ts";
import { pickResource } from "./pick-resource.ts";
import { openPicker } from "./pick.ts";
import { matchChoices } from "./picker.ts";
import { resumeThread } from "./resume-thread.ts";
import { background, notify, type Tui } from "./tui-context.ts";
import { lastWord } from "../input/words.ts";

/** A command of the prompt. */
export interface SlashCommand {
  help: string;
  run(tui: Tui, argument: string): void | Promise<void>;
  /** Completes the last word of an argument. */
  complete?(argument: string, tui: Tui): Promise<readonly Completion[]>;
}

/** What the prompt takes besides questions. */
export const slashCommands: Readonly<Record<string, SlashCommand>> = {
  help: { help: "all keys and commands", run: showHelp },
  new: { help: "a new conversation", run: startConversation },
  clear: { help: "the same as /new", run: startConversation },
  resume: { help: "go on with an earlier conversation", run: resumeThread },
  copy: { help: "copy the last answer as Markdown; /copy 2 copies its second code block", run: copyAnswer },
  "copy-all": { help: "copy the conversation as Markdown", run: copyConversation },
  add: { help: "add a repository, folder or package", run: inNormalScreen("add"), complete: completeAdd },
  remove: { help: "remove a resource", run: inNormalScreen("remove"), complete: completeName },
  export: { help: "write the conversation to a Markdown file: /export FILE", run: exportConversation },
  resources: { help: "the resources, with their state and age: ask about, refresh or remove one", run: pickResource },
  refresh: { help: "fetch a resource again", run: inNormalScreen("refresh"), complete: completeName },
  model: { help: "choose another model of this provider", run: chooseModel },
  connect: { help: "choose a provider and model, store a key or sign in", run: inNormalScreen("connect") },
  verify: {
    help: "check the citations of a Markdown file: /verify FILE",
    run: inNormalScreen("verify"),
    complete: completeFile,
  },
  mouse: { help: "the mouse: /mouse on, wheel (no clicks) or off; copy on or off; speed 5", run: changeMouse },
  quit: { help: "leave", run: (tui) => tui.quit() },
};

/** Runs a line that begins with `/` and a word; false when it is a question, such as `/api/users is what?`. */
export function runSlashCommand(tui: Tui, line: string): boolean {
  const [, name = "", argument = ""] = /^\/([a-z-]+)(?:\s+([\s\S]*))?$/.exec(line) ?? [];
  if (name === "") return false;
  const command = Object.hasOwn(slashCommands, name) ? slashCommands[name] : undefined;
  if (command !== undefined) {
    background(tui, command.run(tui, argument.trim()));
    return true;
  }
  const [close] = nearest(name, Object.keys(slashCommands));
  notify(tui, `no command /${name}${close === undefined ? "" : `; did you mean /${close}?`}`, "warning");
  return true;
}

async function completeName(argument: string, { resources }: Tui): Promise<readonly Completion[]> {
  const items = resources.map(({ name, type }) => ({ label: name, detail: type, word: `${name} ` }));
  return matchChoices(items, lastWord(argument)?.text ?? "");
}

function completeFile(argument: string, { terminal }: Tui): Promise<readonly Completion[]> {
  return completePath(lastWord(argument)?.text ?? "", { ...terminal, hasFiles: true });
}

function showHelp(tui: Tui): void {
  openPicker(
    tui,
    "help",
    helpLines(slashCommands).map(({ label, detail }) => ({ label, detail, choose: () => {} })),
  );
}

function startConversation(tui: Tui): void {
  tui.session.show(emptyConversation);
  tui.state = { ...tui.state, source: undefined, anchor: undefined, queue: [], focus: "prompt" };
}

async function copyAnswer(tui: Tui, argument: string): Promise<void> {
  const turn = tui.state.turns.findLast(({ answer }) => answer.text !== "");
  if (turn === undefined) return notify(tui, nothingToWrite, "warning");
  if (argument === "") return copy(tui, conversationMarkdown({ turns: [turn] }) ?? "", "the answer");
  const blocks = [...turn.answer.text.matchAll(/^ {0,3}(`{3,})[^\n]*\n([\s\S]*?)^ {0,3}\1/gm)];
  const block = blocks[Number(argument) - 1]?.[2];
  if (block === undefined) return notify(tui, `the answer has ${blocks.length} code blocks, no ${argument}`, "warning");
  return copy(tui, block, `code block ${argument}`);
}

async function copyConversation(tui: Tui): Promise<void> {
  const markdown = conversationMarkdown(tui.session.conversation);
  if (markdown === undefined) return notify(tui, nothingToWrite, "warning");
  await copy(tui, markdown, "the conversation");
}

/** Chooses a model of the provider in use, in the command line's own dialogue. */
async function chooseModel(tui: Tui, argument: string): Promise<void> {
  const { provider } = await tui.app.getConfig({});
  await inNormalScreen("connect")(tui, `-p ${provider}${argument === "" ? "" : ` -m ${argument}`}`);
}
