import { version } from "../../package.json";
import { followUpTargets } from "../../client/conversation.ts";
import { loadConfig } from "../../server/config/config.ts";
import { createLookups } from "../../server/config/language/app-lookups.ts";
import { CitewellError } from "../../server/errors.ts";
import { configLocation, connectApp, type ConnectedApp, openLog } from "../app/open-app.ts";
import { prepareProject } from "../app/prepare-project.ts";
import type { ServerOptions } from "../definitions/global-options.ts";
import { type AnswerViewOptions, styleOf } from "../output/answer-view.ts";
import { exitCodes } from "../output/exit-codes.ts";
import { reportError } from "../output/report-error.ts";
import { completeArgument, type Completions, completeWord } from "../prompt/complete.ts";
import { openHistory } from "../prompt/history.ts";
import type { Preferences } from "../prompt/preferences.ts";
import type { PromptContext } from "../prompt/prompt-context.ts";
import { cannotResume, resumeThread } from "../prompt/resume-thread.ts";
import { cleanLine } from "../render/clean.ts";
import { paintSpans, wrapSpans } from "../render/spans.ts";
import { paint, type Style } from "../render/style.ts";
import { type Terminal, write } from "../terminal.ts";
import { openKeyboard } from "./keyboard.ts";
import { createLines } from "./lines.ts";

/** Options of a conversation at the terminal. */
export interface ReplOptions extends AnswerViewOptions, ServerOptions {
  /** The thread to continue, by the start of its id; without one a new thread begins. */
  thread?: string;
  provider?: string;
  model?: string;
  preferences: Preferences;
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
  const log = openLog(terminal, options);
  const leaving = new AbortController();
  const lines = createLines({
    app,
    lookups: app.lookups && createLookups({ app: app.lookups, log }),
    options,
    style,
    terminal,
    interruptible: (work) => keyboard.interruptible(work),
    quit: () => leaving.abort(),
  });
  const { session } = lines.context;
  if (options.thread !== undefined) {
    if (app.threads === undefined) throw new CitewellError("InvalidUsage", cannotResume);
    await resumeThread(lines.context, options.thread);
  }
  await greet(app, { options, style, terminal });
  prepareProject(app, { log });

  using keyboard = openKeyboard(terminal);
  while (!leaving.signal.aborted) {
    const line = await keyboard.readLine({
      prompt: promptOf(followUpTargets(session.conversation), style),
      linear: style.linear,
      history: history.lines,
      complete: (text) => completeLine(text, lines.context),
    });
    terminal.signal.throwIfAborted();
    if (line === undefined) break;
    const typed = line.trim();
    if (typed === "") continue;
    await history.add(typed);
    try {
      await lines.run(typed);
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

async function greet(
  app: ConnectedApp,
  { options, style, terminal }: { options: ReplOptions; style: Style; terminal: Terminal },
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

async function completeLine(text: string, context: PromptContext): Promise<[string[], string]> {
  if (/[@\s]/.test(text)) context.resources = (await context.app.listResources({})).resources;
  return toReadline((await completeArgument(text, context)) ?? completeWord(text, context));
}

/** Completions as readline wants them: it appends to what is typed. */
export function toReadline({ typed, items }: Completions): [string[], string] {
  const words = items.map(({ word }) => word);
  return [words.filter((word) => word.toLowerCase().startsWith(typed.toLowerCase())), typed];
}
