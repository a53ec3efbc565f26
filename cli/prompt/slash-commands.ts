import { emptyConversation } from "../../client/conversation.ts";
import { conversationMarkdown } from "../../client/thread-markdown.ts";
import { nearest } from "../../server/lib/nearest.ts";
import { lastWord } from "../input/words.ts";
import { completeAdd } from "./complete-add.ts";
import { completePath } from "./complete-path.ts";
import type { Completion } from "./completion.ts";
import { copy } from "./copy.ts";
import { exportConversation, nothingToWrite } from "./export-conversation.ts";
import { changeMouse } from "./mouse-command.ts";
import { includeOffers, includeSign } from "./offers.ts";
import { pickResource } from "./pick-resource.ts";
import { matchChoices } from "./picker.ts";
import type { PromptContext } from "./prompt-context.ts";
import { resumeThread } from "./resume-thread.ts";
import { runProgram } from "./run-program.ts";

/** A command of the prompt. */
export interface SlashCommand {
  help: string;
  /** What may follow it, for `/help`; without this, nothing may. */
  argument?: string;
  run(context: PromptContext, argument: string): void | Promise<void>;
  /** Completes the last word of an argument. */
  complete?(argument: string, context: PromptContext): Promise<readonly Completion[]>;
}

/** What the prompt takes besides questions, on the full screen and line by line. */
export const slashCommands: Readonly<Record<string, SlashCommand>> = {
  help: { help: "all keys and commands", run: showHelp },
  new: { help: "a new conversation", run: startConversation },
  clear: { help: "the same as /new", run: startConversation },
  resume: { help: "go on with an earlier conversation", argument: "[NUMBER]", run: resumeThread },
  include: {
    help: `ask the last question again, about the dependencies that it names as well; ${includeSign} does the same`,
    run: includeOffers,
  },
  copy: {
    help: "copy the last answer as Markdown; /copy 2 copies its second code block",
    argument: "[NUMBER]",
    run: copyAnswer,
  },
  "copy-all": { help: "copy the conversation as Markdown", run: copyConversation },
  add: {
    help: "add a repository, folder or package",
    argument: "[REFERENCE]",
    run: runProgram("add"),
    complete: completeAdd,
  },
  remove: { help: "remove a resource", argument: "[NAME]", run: runProgram("remove"), complete: completeName },
  export: { help: "write the conversation to a Markdown file", argument: "[FILE]", run: exportConversation },
  resources: {
    help: "the resources, with their state and age: ask about, refresh or remove one",
    argument: "[NUMBER]",
    run: pickResource,
  },
  refresh: { help: "fetch a resource again", argument: "[NAME]", run: runProgram("refresh"), complete: completeName },
  model: { help: "choose another model of this provider", argument: "[MODEL]", run: chooseModel },
  connect: {
    help: "choose a provider and model, store a key or sign in",
    argument: "[OPTIONS]",
    run: runProgram("connect"),
  },
  verify: {
    help: "check the citations of a Markdown file",
    argument: "FILE",
    run: runProgram("verify"),
    complete: completeFile,
  },
  mouse: {
    help: "the mouse on the full screen: on, wheel (no clicks) or off; copy on or off; speed 5",
    argument: "[…]",
    run: changeMouse,
  },
  exit: { help: "the same as /quit", run: (context) => context.quit() },
  quit: { help: "leave", run: (context) => context.quit() },
};

/**
 * The command of a line that begins with `/` and letters, ready to run; undefined for a question, such as
 * `/api/users is what?`.
 */
export function readCommand(line: string): ((context: PromptContext) => void | Promise<void>) | undefined {
  if (line === includeSign) return includeOffers;
  const [, typed, rest = ""] = /^\/([a-z-]*)(?:\s+([\s\S]*))?$/i.exec(line) ?? [];
  if (typed === undefined) return undefined;
  const name = typed.toLowerCase();
  const command = Object.hasOwn(slashCommands, name) ? slashCommands[name] : undefined;
  if (command === undefined) {
    const [close] = nearest(name, Object.keys(slashCommands));
    const hint = close === undefined ? "/help lists the commands" : `did you mean /${close}?`;
    return (context) => context.notify(`no command /${typed}; ${hint}`, "warning");
  }
  const argument = rest.trim();
  if (argument !== "" && command.argument === undefined)
    return (context) => context.notify(`/${name} takes nothing after it`, "warning");
  return (context) => command.run(context, argument);
}

async function completeName(argument: string, { resources }: PromptContext): Promise<readonly Completion[]> {
  const items = resources.map(({ name, type }) => ({ label: name, detail: type, word: `${name} ` }));
  return matchChoices(items, lastWord(argument)?.text ?? "");
}

function completeFile(argument: string, { terminal }: PromptContext): Promise<readonly Completion[]> {
  return completePath(lastWord(argument)?.text ?? "", { ...terminal, hasFiles: true });
}

function showHelp(context: PromptContext): void {
  const commands = Object.entries(slashCommands).map(([name, { help, argument }]) => ({
    label: argument === undefined ? `/${name}` : `/${name} ${argument}`,
    detail: help,
  }));
  context.pick("help", [...context.keys, ...commands]);
}

function startConversation({ session }: PromptContext): void {
  session.show(emptyConversation);
}

async function copyAnswer(context: PromptContext, argument: string): Promise<void> {
  const turn = context.session.conversation.turns.findLast(({ answer }) => answer.text !== "");
  if (turn === undefined) return context.notify(nothingToWrite, "warning");
  if (argument === "") return copy(context, conversationMarkdown({ turns: [turn] }) ?? "", "the answer");
  const blocks = [...turn.answer.text.matchAll(/^ {0,3}(`{3,})[^\n]*\n([\s\S]*?)^ {0,3}\1/gm)];
  const block = blocks[Number(argument) - 1]?.[2];
  if (block === undefined)
    return context.notify(`the answer has ${blocks.length} code blocks, no ${argument}`, "warning");
  return copy(context, block, `code block ${argument}`);
}

async function copyConversation(context: PromptContext): Promise<void> {
  const markdown = conversationMarkdown(context.session.conversation);
  if (markdown === undefined) return context.notify(nothingToWrite, "warning");
  await copy(context, markdown, "the conversation");
}

/** Chooses a model of the provider in use, in the command line's own dialogue. */
async function chooseModel(context: PromptContext, argument: string): Promise<void> {
  const { provider } = await context.app.getConfig({});
  await runProgram("connect")(context, `-p ${provider}${argument === "" ? "" : ` -m ${argument}`}`);
}
