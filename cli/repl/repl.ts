import { version } from "../../package.json";
import { loadConfig } from "../../server/config/config.ts";
import { CitewellError, toCitewellError } from "../../server/errors.ts";
import { askQuestion, readMentions } from "../ask-question.ts";
import { type AnswerViewOptions, createAnswerView, styleOf } from "../output/answer-view.ts";
import { toRow } from "../commands/resources.ts";
import type { ServerOptions } from "../definitions/global-options.ts";
import { exitCodes } from "../output/exit-codes.ts";
import { findThread, lastReferences } from "../input/find-thread.ts";
import { configLocation, connectApp, type ConnectedApp, openApp, openLog } from "../app/open-app.ts";
import { cleanLine } from "../render/clean.ts";
import { paint, type Style } from "../render/style.ts";
import { formatTable } from "../render/table.ts";
import { renderThread } from "../render/thread.ts";
import { reportError } from "../output/report-error.ts";
import { type Terminal, write } from "../terminal.ts";
import { completeReplLine, includeLine, type ReplLine, readReplLine, replCommands } from "./commands.ts";
import { openHistory } from "./history.ts";
import { type Keyboard, openKeyboard } from "./keyboard.ts";

export interface ReplOptions extends AnswerViewOptions, ServerOptions {
  /** The thread to go on with; a new one is begun without. */
  thread?: string;
  provider?: string;
  model?: string;
}

/** What the session goes on with. */
interface Session {
  /** An id, or `new`. */
  thread: string;
  /** What is asked where a question mentions nothing; empty is all that is configured. */
  resources: readonly string[];
  /** The last question, and what it would be about with the dependencies that it names; undefined without any. */
  offered?: { question: string; resources: readonly string[] } | undefined;
}

/** Asks line by line at a terminal; the questions make one conversation. Ctrl+C ends an answer, and not the session. */
export async function repl(options: ReplOptions, terminal: Terminal): Promise<number> {
  if (!terminal.stdin.isTTY || !terminal.stdout.isTTY || options.json === true || !options.input) {
    throw new CitewellError("InvalidUsage", "a session needs a terminal to type at, and has no --json", {
      hint: 'ask one question: citewell ask -q "…"',
    });
  }
  const style = styleOf(terminal.stdout, options, terminal);
  await using app = await connectApp(terminal, options);
  const { dataDirectory } = await loadConfig(configLocation(terminal));
  const history = await openHistory(dataDirectory);
  const session = await openSession(options, { style, terminal });
  await greet(app, { options, style, terminal });

  using keyboard = openKeyboard(terminal);
  const complete = async (text: string): Promise<[string[], string]> => {
    const { resources } = text.includes("@") ? await app.listResources({}) : { resources: [] };
    return completeReplLine(
      text,
      resources.map(({ name }) => name),
    );
  };
  const turn = { app, session, keyboard, options, style, terminal };
  while (true) {
    const typed = await keyboard.readLine({ prompt: promptOf(session, style), history: history.lines, complete });
    terminal.signal.throwIfAborted();
    if (typed === undefined) break;
    const line = readReplLine(typed);
    if (line.type !== "empty") await history.add(typed.trim());
    if (line.type === "quit") break;
    try {
      await runLine(line, turn);
    } catch (error) {
      terminal.signal.throwIfAborted();
      await reportError(error, { args: options.verbose === true ? ["--verbose"] : [], terminal });
    }
  }
  await write(
    terminal.stdout,
    session.thread === "new" ? "\n" : `\nto go on: citewell threads resume ${session.thread}\n`,
  );
  return exitCodes.ok;
}

interface Surroundings {
  style: Style;
  terminal: Terminal;
}

/** A thread that is gone on with is shown first, so that the questions to come have their context. */
async function openSession({ thread, ...options }: ReplOptions, { style, terminal }: Surroundings): Promise<Session> {
  if (thread === undefined) return { thread: "new", resources: [] };
  await using app = openApp(terminal, { log: openLog(terminal, options), quiet: options.quiet });
  const { id } = await findThread(app, thread);
  await write(terminal.stdout, `${renderThread(await app.getThread({ id }), style)}\n`);
  return { thread: id, resources: await lastReferences(app, id) };
}

async function greet(
  app: ConnectedApp,
  { options, style, terminal }: Surroundings & { options: ReplOptions },
): Promise<void> {
  if (options.quiet === true) return;
  const config = await app.getConfig({}, { signal: terminal.signal });
  const model = `${options.provider ?? config.provider}/${options.model ?? config.model}`;
  const text = `Citewell ${version}, ${model}. Mention a resource as @name; /help says more.`;
  await write(terminal.stdout, `${paint(cleanLine(text, style), ["dim"], style)}\n`);
}

/** Longer names would leave no room to type. */
const promptLength = 40;

function promptOf({ resources }: Session, style: Style): string {
  const names = cleanLine(resources.join(", "), style, promptLength);
  return `${names === "" ? "" : `${paint(names, ["dim"], style)} `}${paint(">", ["bold"], style)} `;
}

interface Turn extends Surroundings {
  app: ConnectedApp;
  session: Session;
  keyboard: Keyboard;
  options: ReplOptions;
}

async function runLine(line: Exclude<ReplLine, { type: "quit" }>, turn: Turn): Promise<void> {
  const { app, session, style, terminal } = turn;
  const { stdout, stderr, signal } = terminal;
  switch (line.type) {
    case "question": {
      const { question, resources } = await readMentions(app, line.text, terminal);
      return answer(question, resources, turn);
    }
    case "include":
      if (session.offered === undefined) return write(stderr, "the last question names no further dependency\n");
      return answer(session.offered.question, session.offered.resources, turn);
    case "help":
      return write(stdout, help);
    case "clear":
      session.thread = "new";
      session.resources = [];
      return write(stdout, "a new conversation\n");
    case "resources": {
      const { resources } = await app.listResources({}, { signal });
      return write(stdout, formatTable(resources.map((resource) => toRow(resource, Date.now()))));
    }
    case "unknown":
      return write(stderr, `${cleanLine(line.message, style)}\n`);
    case "empty":
  }
}

const help = `${formatTable(Object.entries(replCommands).map(([name, text]) => [name, text]))}
${includeLine} asks the last question again, about the dependencies that it names as well.
@name, @npm:package, @./folder or @https://… says what is asked, until another question mentions something else;
without any it is all that is configured. Tab completes. Escape or Ctrl+C ends an answer.
`;

/** @throws what the question fails with; a cancelled one does not fail */
async function answer(
  question: string,
  mentioned: readonly string[],
  { app, session, keyboard, options, terminal }: Turn,
): Promise<void> {
  const resources = [...(mentioned.length > 0 ? mentioned : session.resources)];
  if (question === "") {
    session.resources = resources;
    return;
  }
  const view = createAnswerView(options, terminal);
  const request = { question, resources, thread: session.thread };
  const asked = await keyboard.interruptible((signal) => askQuestion(app, request, { view, signal }));
  // What does not open must not be asked again and again.
  if (asked.answer.resources.length > 0) session.resources = resources;
  session.thread = asked.answer.thread ?? session.thread;
  const { offers = [] } = asked.answer;
  const references = offers.map(({ reference }) => reference);
  const isOffered = offers.length > 0;
  session.offered = isOffered ? { question, resources: [...asked.answer.resources, ...references] } : undefined;
  const names = offers.map(({ name, version }) => `${name} ${version}`).join(", ");
  if (isOffered)
    view.note(
      `installed here: ${names}; type ${includeLine} to ask about ${offers.length === 1 ? "it" : "them"} as well`,
    );
  if (asked.failure === undefined) return;
  const error = toCitewellError(asked.failure.error);
  // It was removed meanwhile.
  if (error.tag === "ThreadNotFound") session.thread = "new";
  if (error.tag !== "Cancelled" || terminal.signal.aborted) throw error;
  await write(terminal.stderr, "cancelled\n");
}
