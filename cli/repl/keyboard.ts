import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { callbackify } from "node:util";
import type { Terminal } from "../terminal.ts";
import { bracketedPaste, createPasteReader, fromEditedLine, type Input, toEditedLine } from "./paste.ts";

export interface LineOptions {
  prompt: string;
  /** The terminal's own line editing, which writes no control sequences. */
  linear: boolean;
  /** Newest first. */
  history: readonly string[];
  /** What the text before the cursor may become, and which part of it that replaces. */
  complete: (text: string) => Promise<[string[], string]>;
}

/** The keys of one person, and the terminal's modes, which are as they were once it is disposed of. */
export interface Keyboard extends Disposable {
  /** One line, edited. Undefined at Ctrl+D, at Ctrl+C where nothing is typed, and where the terminal is gone. */
  readLine(options: LineOptions): Promise<string | undefined>;
  /**
   * Aborts the signal of `work` at Escape and Ctrl+C; other keys are ignored meanwhile. A second Ctrl+C is a signal to
   * the process again, so that the user can always leave.
   */
  interruptible<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
}

const escape = "\u001B";
const interrupt = "\u0003";

export function openKeyboard({ stdin, stdout, signal }: Pick<Terminal, "stdin" | "stdout" | "signal">): Keyboard {
  const decoder = new StringDecoder("utf8");
  const readPaste = createPasteReader();
  let receive: (input: Input) => void = () => {};
  let hangUp = () => {};
  const onData = (chunk: Buffer) => readPaste(decoder.write(chunk)).forEach((input) => receive(input));
  const onEnd = () => hangUp();
  stdin.on("data", onData).on("end", onEnd);

  return {
    async readLine({ prompt, linear, history, complete }) {
      signal.throwIfAborted();
      // Readline sets the terminal's mode through its input.
      const input = Object.assign(new PassThrough(), { setRawMode: (mode: boolean) => stdin.setRawMode(mode) });
      const readline = createInterface({
        input,
        output: stdout,
        terminal: !linear,
        prompt,
        history: history.map(toEditedLine),
        historySize: history.length + 1,
        completer: callbackify((text: string) => complete(text).catch((): [string[], string] => [[], text])),
      });
      hangUp = () => readline.close();
      signal.addEventListener("abort", hangUp, { once: true });
      receive = ({ type, text }) => {
        if (type === "keys") input.write(text);
        else readline.write(toEditedLine(text));
      };
      if (!linear) stdout.write(bracketedPaste.on);
      try {
        return await new Promise<string | undefined>((resolve) => {
          readline.once("line", (line) => resolve(fromEditedLine(line)));
          readline.once("close", () => resolve(undefined));
          readline.on("SIGINT", () => {
            if (readline.line === "") readline.close();
            else clearLine(readline);
          });
          readline.prompt();
        });
      } finally {
        signal.removeEventListener("abort", hangUp);
        hangUp = () => {};
        receive = () => {};
        readline.close();
        if (!linear) stdout.write(bracketedPaste.off);
      }
    },

    async interruptible(work) {
      const interruption = new AbortController();
      const stop = () => {
        stdin.setRawMode(false);
        interruption.abort();
      };
      receive = ({ text }) => {
        if (text === escape || text.includes(interrupt)) stop();
      };
      hangUp = stop;
      stdin.setRawMode(true);
      try {
        return await work(AbortSignal.any([signal, interruption.signal]));
      } finally {
        receive = () => {};
        hangUp = () => {};
        stdin.setRawMode(false);
      }
    },

    [Symbol.dispose]() {
      stdin.off("data", onData).off("end", onEnd).pause();
      stdin.setRawMode(false);
    },
  };
}

/** Clears the line as Ctrl+E and Ctrl+U do. */
function clearLine(readline: ReturnType<typeof createInterface>): void {
  readline.write(null, { ctrl: true, name: "e" });
  readline.write(null, { ctrl: true, name: "u" });
}
