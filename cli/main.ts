#!/usr/bin/env node
import module from "node:module";
import os from "node:os";
import { runProgram } from "./program.ts";
import { exitCodes } from "./output/exit-codes.ts";
import { Interruption, OutputLost } from "./terminal.ts";

// Node 22 keeps compiled code between runs; Node 20 does not know how.
if ("enableCompileCache" in module && typeof module.enableCompileCache === "function") module.enableCompileCache();

const interruption = new AbortController();

/** The first Ctrl+C ends the run and keeps what there is; the second leaves at once. */
function interrupt(message: string, exitCode: number): void {
  if (interruption.signal.aborted) process.exit(exitCode);
  interruption.abort(new Interruption(message, exitCode));
}

process.on("SIGINT", () => interrupt("interrupted", exitCodes.interrupted));
process.on("SIGTERM", () => interrupt("terminated", exitCodes.terminated));
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (interruption.signal.aborted) return;
  // A reader that has seen enough (`| head`) is no fault, an answer that is lost (a full disk) is one.
  const isFault = error.code !== "EPIPE";
  if (isFault) process.stderr.write(`error: cannot write the output: ${error.message}\n`);
  interruption.abort(new OutputLost("the output is not taken", isFault ? exitCodes.failure : exitCodes.ok));
});
process.stderr.on("error", () => {});
// Where files may not grow beyond a limit (`ulimit -f`), writing fails and is dealt with, in place of ending the process.
process.on("SIGXFSZ", () => {});

/** The current folder; the shell may be in one that was deleted. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    process.stderr.write("error: the current folder does not exist any more\nhint: change to another folder first\n");
    process.exit(exitCodes.failure);
  }
}

const exitCode = await runProgram(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: currentFolder(),
  homeDirectory: os.homedir(),
  platform: process.platform,
  program: { runtime: process.execPath, file: process.argv[1] ?? import.meta.filename },
  signal: interruption.signal,
});
// Whether the last words were taken shows only a turn after they were written.
await new Promise<void>((resolve) => process.stdout.write("", () => setImmediate(resolve)));
const { reason } = interruption.signal;
const isLost = reason instanceof OutputLost && exitCode === exitCodes.ok;
// What still runs now (a background refresh, an idle connection) must not keep a finished command alive.
process.exit(isLost ? reason.exitCode : exitCode);
