import type { Readable, Writable } from "node:stream";
import type { ReadStream, WriteStream } from "node:tty";

/** A stream that may be a terminal. */
export type OutputStream = Writable & Pick<WriteStream, "isTTY" | "columns">;

/** A stream that may be a terminal, with its file descriptor. */
export type InputStream = Readable & Pick<ReadStream, "isTTY"> & { fd: number; setRawMode(isRaw: boolean): unknown };

/**
 * The process as the commands see it: streams, environment, working directory, signals. Only `main.ts` knows the real
 * one, so tests run commands in process with their own.
 *
 * It draws nothing: `render/` turns answers into text, and `tui/` has the full screen.
 */
export interface Terminal {
  stdin: InputStream;
  stdout: OutputStream & Pick<WriteStream, "rows">;
  stderr: OutputStream;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  homeDirectory: string;
  platform: NodeJS.Platform;
  /** How this program is started: the runtime's executable and our file, both absolute. */
  program: { runtime: string; file: string };
  /** Aborted by Ctrl+C, by a request to terminate, and when the reader of standard output is gone. */
  signal: AbortSignal;
}

/** Why `Terminal.signal` was aborted, and the exit code that says so. */
export class Interruption extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.name = "AbortError";
    this.exitCode = exitCode;
  }
}

/** Standard output is closed: messages would have no reader. */
export class OutputLost extends Interruption {}

/** Writes, and waits where the reader is slower than we are. */
export async function write(stream: Writable, text: string): Promise<void> {
  if (text === "" || !stream.writable) return;
  await new Promise<void>((resolve) => stream.write(text, () => resolve()));
}
