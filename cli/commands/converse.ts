import type { ReplOptions } from "../repl/repl.ts";
import type { Terminal } from "../terminal.ts";

export interface ConverseOptions extends ReplOptions {
  /** `false` is `--no-tui`. */
  tui?: boolean;
}

/** A conversation at the terminal: on the full screen where the terminal can show one, else line by line. */
export async function converse(options: ConverseOptions, terminal: Terminal): Promise<number> {
  const { stdin, stdout, env } = terminal;
  const isTerminal = stdin.isTTY && stdout.isTTY && options.json !== true && options.input;
  if (!isTerminal || options.tui === false || env["TERM"] === "dumb")
    return (await import("../repl/repl.ts")).repl(options, terminal);
  return (await import("../tui/tui.ts")).tui(options, terminal);
}
