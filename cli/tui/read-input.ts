import { StringDecoder } from "node:string_decoder";
import type { Terminal } from "../terminal.ts";
import { createInputReader, type TerminalInput } from "./input.ts";

/** The user's input, kept until something takes it, and not read while it is paused for another program. */
export interface InputSource extends Disposable {
  connect(receiver: InputReceiver): void;
  pause(): void;
  resume(): void;
}

/** Takes the user's input. */
export interface InputReceiver {
  onInput(inputs: readonly TerminalInput[]): void;
  onEnd(): void;
}

/** An Escape that nothing follows is the key; over slow lines sequences arrive in pieces. */
const escapeMs = 50;

/** Starts to read the terminal's input. */
export function readInput({ stdin }: Pick<Terminal, "stdin">): InputSource {
  const decoder = new StringDecoder("utf8");
  const reader = createInputReader();
  const early: TerminalInput[] = [];
  let hasEnded = false;
  let receiver: InputReceiver | undefined;
  let timer: NodeJS.Timeout | undefined;
  let flushing: NodeJS.Immediate | undefined;
  const deliver = (inputs: readonly TerminalInput[]) => {
    if (receiver === undefined) early.push(...inputs);
    else receiver.onInput(inputs);
  };
  const flush = () => deliver(reader.flush());
  const stopWaiting = () => {
    clearTimeout(timer);
    clearImmediate(flushing);
  };
  const onData = (chunk: Buffer) => {
    stopWaiting();
    deliver(reader.push(decoder.write(chunk)));
    // On a busy machine the time may be over before what has arrived is read: Node reads it before the immediate.
    if (reader.isWaiting) timer = setTimeout(() => (flushing = setImmediate(flush)), escapeMs);
  };
  const onEnd = () => {
    hasEnded = true;
    receiver?.onEnd();
  };
  stdin.on("data", onData).on("end", onEnd);
  return {
    connect(next) {
      receiver = next;
      next.onInput(early.splice(0));
      if (hasEnded) next.onEnd();
    },
    pause() {
      stdin.off("data", onData).pause();
    },
    resume() {
      stdin.on("data", onData).resume();
    },
    [Symbol.dispose]() {
      stopWaiting();
      stdin.off("data", onData).off("end", onEnd).pause();
    },
  };
}
