import type { Command } from "commander";
import type { Terminal } from "../terminal.ts";

/** What it takes to define commands. A command's own code is loaded only when it is run. */
export interface Definition {
  program: Command;
  terminal: Terminal;
  finish(exitCode: number): void;
}
