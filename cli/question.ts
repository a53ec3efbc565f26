import { fstatSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { CitewellError, messageOf } from "../server/errors.ts";
import { limits } from "../server/protocol/resource.ts";
import type { Terminal } from "./terminal.ts";

/** How much piped text goes along with a question; the rest is cut, and said to be. In characters. */
const attachmentLimit = 60_000;
/**
 * How long standard input may stay silent beside `-q TEXT` before it is taken for one that was inherited and that nobody
 * writes to. A pipe is what a shell makes on purpose; a socket is what programs that start us make without thinking.
 */
const silentMs = { pipe: 3000, socket: 300 };

export interface Question {
  text: string;
  /** What the user should know of how the question came together. */
  notes: string[];
}

/**
 * The question from `-q TEXT`, `-q -`, `-q @file`, or a pipe; text piped beside a question goes along as context.
 * @throws InvalidUsage (no question, empty standard input), PathNotFound (the file of `-q @file`)
 */
export async function readQuestion(option: string | undefined, terminal: Terminal): Promise<Question> {
  if (option === "-") return { text: required(await readAll(terminal)), notes: [] };
  if (option === undefined) {
    if (terminal.stdin.isTTY) throw missingQuestion();
    return { text: required(await readAll(terminal)), notes: [] };
  }
  const text = option.startsWith("@") ? await readQuestionFile(option, terminal) : option;
  const attached = (await readBeside(terminal)).trim();
  return attached === "" ? { text, notes: [] } : attach(text, attached);
}

/** `@name` that is no file stays a question: it may begin with a mention. */
async function readQuestionFile(option: string, { cwd }: Terminal): Promise<string> {
  const file = path.resolve(cwd, option.slice(1));
  if (/\s/.test(option)) return option;
  try {
    return required(await readFile(file, "utf8"));
  } catch (cause) {
    if (cause instanceof CitewellError) throw cause;
    throw new CitewellError("PathNotFound", `the question's file could not be read: ${messageOf(cause)}`, {
      cause,
      hint: "-q @file reads the question from a file; -q - from standard input",
    });
  }
}

function attach(question: string, attached: string): Question {
  const room = Math.min(attachmentLimit, limits.questionLength - question.length - 200);
  const kept = attached.slice(0, Math.max(room, 0));
  const wasCut = kept.length < attached.length;
  const cut = wasCut ? `\n(cut: the first ${kept.length} of ${attached.length} characters)` : "";
  const text = `${question}\n\nText that came with the question:\n\n${kept}${cut}`;
  return {
    text,
    notes: wasCut ? [`only the first ${kept.length} of ${attached.length} piped characters go along`] : [],
  };
}

function required(text: string): string {
  if (text.trim() !== "") return text.trim();
  throw new CitewellError("InvalidUsage", "the question is empty", { hint: 'give it as -q "…", or pipe it in' });
}

function missingQuestion(): CitewellError {
  return new CitewellError("InvalidUsage", "no question was given (-q, --question)", {
    hint: 'citewell ask -q "How …?" -r npm:express',
  });
}

/** What was piped in beside a question; nothing where nobody writes. */
async function readBeside(terminal: Terminal): Promise<string> {
  const kind = kindOfInput();
  if (kind === "other") return "";
  if (kind === "file") return readAll(terminal);
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), silentMs[kind]);
  terminal.stdin.once("readable", () => clearTimeout(timer));
  return readAll(terminal, silence.signal);
}

function kindOfInput(): "pipe" | "socket" | "file" | "other" {
  try {
    const stat = fstatSync(0);
    if (stat.isFIFO()) return "pipe";
    if (stat.isSocket()) return "socket";
    return stat.isFile() ? "file" : "other";
  } catch {
    return "other";
  }
}

/** Standard input to its end, and no further than the longest question can use. */
async function readAll({ stdin, signal }: Terminal, silence?: AbortSignal): Promise<string> {
  const stop = silence === undefined ? signal : AbortSignal.any([signal, silence]);
  const onAbort = () => stdin.destroy();
  stop.addEventListener("abort", onAbort, { once: true });
  let text = "";
  try {
    for await (const chunk of stdin.setEncoding("utf8")) {
      text += String(chunk);
      if (text.length > 10 * limits.questionLength) break;
    }
  } catch (error) {
    if (!stop.aborted) throw error;
  } finally {
    stop.removeEventListener("abort", onAbort);
  }
  signal.throwIfAborted();
  return text;
}
