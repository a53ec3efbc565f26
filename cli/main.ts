#!/usr/bin/env node
import module from "node:module";
import os from "node:os";
import { runProgram } from "./program.ts";
import { exitCodes } from "./exit-codes.ts";
import { Interruption } from "./terminal.ts";

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
process.stdout.on("error", () => interruption.abort(new Interruption("nobody reads the output", exitCodes.ok)));
process.stderr.on("error", () => {});

process.exitCode = await runProgram(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  homeDirectory: os.homedir(),
  platform: process.platform,
  signal: interruption.signal,
});
// What still runs now (a background refresh, an idle connection) must not keep a finished command alive.
process.stdout.write("", () => process.exit());
