import { StringDecoder } from "node:string_decoder";
import type { Terminal } from "../terminal.ts";
import { createInputReader, type TerminalInput } from "./input.ts";

/** The user's input, as long as it is not paused for another program. */
export interface InputSource extends Disposable {
  pause(): void;
  resume(): void;
}

/** An Escape that nothing follows is the key; over slow lines sequences arrive in pieces. */
const escapeMs = 50;

export function readInput(
  { stdin }: Pick<Terminal, "stdin">,
  { onInput, onEnd }: { onInput(inputs: readonly TerminalInput[]): void; onEnd(): void },
): InputSource {
  const decoder = new StringDecoder("utf8");
  const reader = createInputReader();
  let timer: NodeJS.Timeout | undefined;
  const onData = (chunk: Buffer) => {
    clearTimeout(timer);
    onInput(reader.push(decoder.write(chunk)));
    if (reader.isWaiting) timer = setTimeout(() => onInput(reader.flush()), escapeMs);
  };
  stdin.on("data", onData).on("end", onEnd);
  return {
    pause() {
      stdin.off("data", onData).pause();
    },
    resume() {
      stdin.on("data", onData).resume();
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
      stdin.off("data", onData).off("end", onEnd).pause();
    },
  };
}
