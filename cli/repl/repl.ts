import { version } from "../../package.json";
import { emptyConversation, followUpTargets, fromThread } from "../../client/conversation.ts";
import { loadConfig } from "../../server/config/config.ts";
import { CitewellError } from "../../server/errors.ts";
import { configLocation, connectApp, type ConnectedApp, openLog } from "../app/open-app.ts";
import { prepareProject } from "../app/prepare-project.ts";
import { toRow } from "../commands/resources.ts";
import type { ServerOptions } from "../definitions/global-options.ts";
import type { ThreadSummary } from "../../server/protocol/threads.ts";
import { findThread } from "../input/find-thread.ts";
import { byPlace } from "../../client/thread-place.ts";
import { interruptible } from "../input/interruptible.ts";
import { serverArguments } from "../input/option-names.ts";
import { readMentions } from "../input/mentions.ts";
import { type AnswerViewOptions, styleOf } from "../output/answer-view.ts";
import { exitCodes } from "../output/exit-codes.ts";
import { reportError } from "../output/report-error.ts";
import { cleanLine } from "../render/clean.ts";
import { paintSpans, wrapSpans } from "../render/spans.ts";
import { paint, type Style } from "../render/style.ts";
import { formatFor, formatWrapped, wrapWords } from "../render/table.ts";
import { renderThread } from "../render/thread.ts";
import { type Terminal, write } from "../terminal.ts";
import { completeReplLine, includeLine, type ReplLine, readReplLine, replCommands } from "./commands.ts";
import { createPrintedConversation, type PrintedConversation } from "./conversation.ts";
import { openHistory } from "./history.ts";
import { type Keyboard, openKeyboard } from "./keyboard.ts";

/** Options of a conversation at the terminal. */
export interface ReplOptions extends AnswerViewOptions, ServerOptions {
  /** The thread to continue, by the start of its id; without one a new thread begins. */
  thread?: string;
  provider?: string;
  model?: string;
}

interface Repl {
  app: ConnectedApp;
  conversation: PrintedConversation;
  keyboard: Keyboard;
  style: Style;
  terminal: Terminal;
  /** The URL of `--server`. */
  server: string | undefined;
}

/** Asks line by line at a terminal; the questions form one conversation. Ctrl+C ends an answer, not the session. */
export async function repl(options: ReplOptions, terminal: Terminal): Promise<number> {
  if (!terminal.stdin.isTTY || !terminal.stdout.isTTY || options.json === true || !options.input) {
    throw new CitewellError("InvalidUsage", "a conversation needs a terminal and does not support --json", {
      hint: 'ask one question: citewell ask -q "…"',
    });
  }
  const style = styleOf(terminal.stdout, options, terminal);
  await using app = await connectApp(terminal, { ...options, followsFolders: true });
  const { dataDirectory } = await loadConfig(configLocation(terminal));
  const history = await openHistory(dataDirectory);
  const conversation = createPrintedConversation(app, options, terminal);
  const { session } = conversation;
  if (options.thread !== undefined) await resume(options.thread, { app, conversation, style, terminal });
  await greet(app, { options, style, terminal });
  prepareProject(app, { log: openLog(terminal, options) });

  using keyboard = openKeyboard(terminal);
  const complete = async (text: string): Promise<[string[], string]> => {
    const { resources } = text.includes("@") ? await app.listResources({}) : { resources: [] };
    return completeReplLine(
      text,
      resources.map(({ name }) => name),
    );
  };
  while (true) {
    const prompt = promptOf(followUpTargets(session.conversation), style);
    const typed = await keyboard.readLine({ prompt, linear: style.linear, history: history.lines, complete });
    terminal.signal.throwIfAborted();
    if (typed === undefined) break;
    const line = readReplLine(typed);
    if (line.type !== "empty") await history.add(typed.trim());
    if (line.type === "quit") break;
    try {
      await runLine(line, { app, conversation, keyboard, style, terminal, server: options.server });
    } catch (error) {
      terminal.signal.throwIfAborted();
      await reportError(error, { args: options.verbose === true ? ["--verbose"] : [], terminal });
    }
  }
  // What is typed from now on is for the shell.
  keyboard[Symbol.dispose]();
  const { thread } = session.conversation;
  await write(terminal.stdout, thread === undefined ? "\n" : `\nto go on: citewell threads resume ${thread.id}\n`);
  return exitCodes.ok;
}

/** Prints the thread first, so that its next questions have their context. */
async function resume(
  text: string,
  { app: { threads }, conversation, style, terminal }: Omit<Repl, "keyboard" | "server">,
): Promise<void> {
  if (threads === undefined) throw threadsElsewhere();
  const { id } = await findThread(threads, text);
  const thread = await threads.getThread({ id });
  await write(terminal.stdout, `${renderThread(thread, style)}\n`);
  conversation.session.show(fromThread(thread));
}

function threadsElsewhere(): CitewellError {
  return new CitewellError("InvalidUsage", "threads on a server cannot be resumed here");
}

async function greet(
  app: ConnectedApp,
  { options, style, terminal }: Pick<Repl, "style" | "terminal"> & { options: ReplOptions },
): Promise<void> {
  if (options.quiet === true) return;
  const config = await app.getConfig({}, { signal: terminal.signal });
  const model = `${options.provider ?? config.provider}/${options.model ?? config.model}`;
  const text = `Citewell ${version}, ${model}. Mention a resource as @name; /help says more.`;
  const lines = wrapSpans([{ text: cleanLine(text, style), marks: ["dim"] }], style.width);
  await write(terminal.stdout, lines.map((line) => `${paintSpans(line, style)}\n`).join(""));
}

/** Longer names would leave no room to type. */
const promptLength = 40;

function promptOf(resources: readonly string[], style: Style): string {
  if (style.linear) return "You: ";
  const names = cleanLine(resources.join(", "), style, promptLength);
  return `${names === "" ? "" : `${paint(names, ["dim"], style)} `}${paint(">", ["bold"], style)} `;
}

async function runLine(line: Exclude<ReplLine, { type: "quit" }>, repl: Repl): Promise<void> {
  const { app, style, terminal } = repl;
  const { session } = repl.conversation;
  const { stdout, stderr, signal } = terminal;
  switch (line.type) {
    case "question": {
      const { question, resources, notes } = await readMentions(app, line.text, terminal);
      if (question === "") return session.choose(resources);
      if (style.linear) await write(stdout, "Citewell:\n");
      return answer(question, { resources, notes }, repl);
    }
    case "include": {
      const last = session.conversation.turns.at(-1);
      const offered = (last?.answer.offers ?? []).map(({ reference }) => reference);
      if (last === undefined || offered.length === 0)
        return write(stderr, "the last question names no further dependency\n");
      return answer(last.question, { resources: [...last.answer.resources, ...offered], notes: [] }, repl);
    }
    case "help":
      return write(stdout, helpText(stdout.columns || 80));
    case "program":
      return runCommand(line.args, repl);
    case "resume":
      return line.text === "" ? listThreads(repl) : resume(await idOf(line.text, app), repl);
    case "clear":
      session.show(emptyConversation);
      return write(stdout, "a new conversation\n");
    case "resources": {
      const { resources } = await app.listResources({}, { signal });
      const rows = resources.map((resource) => toRow(resource, Date.now()));
      return write(stdout, formatFor(stdout, rows));
    }
    case "unknown":
      return write(stderr, `${cleanLine(line.message, style)}\n`);
    case "empty":
  }
}

function helpText(columns: number): string {
  const notes = [
    `${includeLine} asks the last question again, about the dependencies that it names as well.`,
    "@name, @npm:package, @./folder or @https://… says what is asked, until another question mentions something else; without any it is the open project and all that is configured.",
    "Tab completes. Escape or Ctrl+C ends an answer.",
  ];
  const wrapped = notes.flatMap((note) => wrapWords(note, columns));
  const commands = Object.entries(replCommands).map(([name, { help }]): [string, string] => [name, help]);
  return `${formatWrapped(commands, columns)}\n${wrapped.join("\n")}\n`;
}

/** Runs a command of the command line. Its prompts move the cursor, so in linear mode it fails without its arguments. */
async function runCommand(args: readonly string[], { style, terminal, server }: Repl): Promise<void> {
  const { runProgram } = await import("../program.ts");
  const all = [...args, ...serverArguments(args[0], server), ...(style.linear ? ["--no-input"] : [])];
  await interruptible(terminal.signal, async (signal) => {
    await runProgram(all, { ...terminal, signal });
    if (signal.aborted) await write(terminal.stderr, "cancelled\n");
  });
  // Its prompts pause the input.
  terminal.stdin.resume();
}

/** More are not read through. */
const listedThreads = 20;

async function listThreads({ app: { threads }, terminal: { stdout } }: Repl): Promise<void> {
  if (threads === undefined) throw threadsElsewhere();
  const listed = await listedFor(threads);
  if (listed.length === 0) return write(stdout, "there is no earlier conversation\n");
  const rows = listed.map(({ title, updatedAt, isHere, resources }, index) => {
    const about = isHere === false ? `another project: ${resources.join(", ")}` : "";
    return [String(index + 1), title.replace(/\s+/g, " "), updatedAt.slice(0, 10), about];
  });
  await write(stdout, `${formatFor(stdout, rows)}\nto go on with the first: /resume 1\n`);
}

/** The id of a conversation that is given by its number in the list; another text is the beginning of an id. */
async function idOf(text: string, { threads }: ConnectedApp): Promise<string> {
  const listed = threads === undefined ? [] : await listedFor(threads);
  return (/^\d{1,2}$/.test(text) ? listed[Number(text) - 1]?.id : undefined) ?? text;
}

/** This project's conversations first. */
async function listedFor(threads: NonNullable<ConnectedApp["threads"]>): Promise<readonly ThreadSummary[]> {
  const { here, elsewhere } = byPlace((await threads.listThreads({})).threads);
  return [...here, ...elsewhere].slice(0, listedThreads);
}

/** @throws what the question failed with; a cancelled question has not failed */
async function answer(
  question: string,
  options: { resources: readonly string[]; notes: readonly string[] },
  { conversation, keyboard, terminal }: Repl,
): Promise<void> {
  const { turn, failure } = await keyboard.interruptible((signal) =>
    conversation.ask(question, { ...options, signal }),
  );
  if (turn.status === "failed") throw failure;
  terminal.signal.throwIfAborted();
  if (turn.status === "cancelled") await write(terminal.stderr, "cancelled\n");
}
