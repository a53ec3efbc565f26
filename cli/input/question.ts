import { readFile, stat } from "node:fs/promises";
import { CitewellError, messageOf } from "../../server/errors.ts";
import { toAbsolutePath } from "../../server/lib/absolute-path.ts";
import { joinAttachedText } from "../../server/protocol/attached-text.ts";
import { limits } from "../../server/protocol/resource-fields.ts";
import { readAllInput, readOptionalInput } from "./standard-input.ts";
import type { Terminal } from "../terminal.ts";

/** How many characters of piped text are sent with a question; the rest is cut, and a note says so. */
const attachmentLimit = 60_000;

/** No question can use more of standard input. */
const inputLimit = 10 * limits.questionLength;

/** A question with the text that was piped in. */
export interface Question {
  text: string;
  /** Notes for the user on how the question was put together. */
  notes: string[];
}

/** The sources that a question may come from. */
export interface QuestionOptions {
  /** The value of `-q`. */
  question?: string;
  /** The question without an option, in words. */
  words?: readonly string[];
  /** Piped text must come: waits for it, and fails where none comes. */
  stdin?: boolean;
}

/**
 * The question from the words of the command line, `-q TEXT`, `-q -`, `-q @file`, or a pipe; text piped beside a
 * question is added to it.
 * @throws InvalidUsage (no question or two, empty standard input), InputSilent, FileNotReadable (the file of `-q @file`)
 */
export async function readQuestion(options: QuestionOptions, terminal: Terminal): Promise<Question> {
  const { stdin } = options;
  const question = questionOf(options);
  if (question === undefined && terminal.stdin.isTTY) throw missingQuestion();
  if (question === undefined || question === "-") {
    return { text: required(await readAllInput(terminal, inputLimit), "standard input"), notes: [] };
  }
  const text =
    (await readQuestionFile(question, terminal)) ??
    required(question, options.question === undefined ? "the command line" : "-q");
  if (stdin === true) return attach(text, required(await readAllInput(terminal, inputLimit), "standard input"));
  const { text: attached, end } = await readOptionalInput(terminal, inputLimit);
  const { text: whole, notes } = attached.trim() === "" ? { text, notes: [] } : attach(text, attached.trim());
  return { text: whole, notes: [...notes, ...noteOnEnd(end, attached)] };
}

function questionOf({ question, words = [] }: QuestionOptions): string | undefined {
  if (words.length === 0) return question;
  const text = words.join(" ");
  if (question === undefined) return text;
  throw new CitewellError("InvalidUsage", `two questions were given: ${JSON.stringify(text)}, and one with -q`, {
    hint: 'give one: citewell ask "…" -r npm:express',
  });
}

/**
 * The text of the file that `@` names, spaces and all, or undefined where there is no such file: then it is a question
 * that begins with a mention.
 */
async function readQuestionFile(option: string, { cwd, homeDirectory }: Terminal): Promise<string | undefined> {
  if (!option.startsWith("@") || option.trim() === "@") return undefined;
  const file = toAbsolutePath(option.slice(1), { folder: cwd, homeDirectory });
  const stats = await stat(file).catch(() => undefined);
  if (stats === undefined || stats.isDirectory()) return undefined;
  try {
    return required(await readFile(file, "utf8"), option.slice(1));
  } catch (cause) {
    if (cause instanceof CitewellError) throw cause;
    throw new CitewellError("FileNotReadable", `the question's file could not be read: ${messageOf(cause)}`, { cause });
  }
}

/**
 * Checks what is left of a question without its mentions.
 * @throws InvalidUsage (only mentions, or `@file` where there is no such file)
 */
export function requireWords(question: string, { resources }: { resources: readonly string[] }): string {
  if (question.trim() === "") {
    throw new CitewellError("InvalidUsage", `the question is empty: it only names ${resources.join(", ")}`, {
      hint: `add the question: citewell ask -q "@${resources[0] ?? "express"} How are routes matched?"`,
    });
  }
  if (!/^@\S+$/.test(question) && !namesTextFile.test(question)) return question;
  throw new CitewellError("InvalidUsage", `${JSON.stringify(question)} is neither a file nor a resource`, {
    hint: "-q @file reads the question from a file, -q - from standard input; citewell resources lists the names",
  });
}

/** `@C:\Users\Ann Lee\question.txt`: a path with spaces, not a question. */
const namesTextFile = /^@[^?\n]*[\\/][^?\n]*\.(?:md|markdown|txt)$/;

function attach(question: string, attached: string): Question {
  const room = Math.min(attachmentLimit, limits.questionLength - question.length - 200);
  const kept = attached.slice(0, Math.max(room, 0));
  const wasCut = kept.length < attached.length;
  const cut = wasCut ? `\n(cut: the first ${kept.length} of ${attached.length} characters)` : "";
  const text = joinAttachedText(question, `${kept}${cut}`);
  return {
    text,
    notes: wasCut ? [`only the first ${kept.length} of ${attached.length} piped characters are sent`] : [],
  };
}

function noteOnEnd(end: "complete" | "silent" | "open", { length }: string): string[] {
  if (end === "complete") return [];
  if (end === "open")
    return [`standard input is still open but went silent: the question has the ${length} characters that came`];
  return ["no text was piped in, so the question is asked without any; to wait for it: --stdin"];
}

function required(text: string, origin: string): string {
  if (text.trim() !== "") return text.trim();
  throw new CitewellError("InvalidUsage", `the question is empty: ${origin} has no text`, {
    hint: 'give it as -q "…", or pipe it in',
  });
}

function missingQuestion(): CitewellError {
  return new CitewellError("InvalidUsage", "no question was given", {
    hint: 'citewell ask "How …?" -r npm:express',
  });
}
