import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { configPaths } from "../../server/config/paths.ts";
import { replaceFile } from "../../server/lib/replace-file.ts";
import type { ReplOptions } from "../repl/repl.ts";
import type { Terminal } from "../terminal.ts";

/** Options of bare `citewell` and `citewell repl`. */
export interface ConverseOptions extends ReplOptions {
  /** `false` is `--no-tui`. */
  tui?: boolean;
  inline?: boolean;
  /** `--screen-reader` and `--no-screen-reader`; kept for later runs. */
  screenReader?: boolean;
}

/** A conversation at the terminal: on the full screen where the terminal can show one, else line by line. */
export async function converse(options: ConverseOptions, terminal: Terminal): Promise<number> {
  const { stdin, stdout, env } = terminal;
  const isTerminal = stdin.isTTY && stdout.isTTY && options.json !== true && options.input;
  const linear = env["TERM"] === "dumb" || (await usesScreenReader(options, terminal));
  if (!isTerminal || options.tui === false || linear)
    return (await import("../repl/repl.ts")).repl({ ...options, linear }, terminal);
  return (await import("../tui/tui.ts")).tui(options, terminal);
}

/** The option, else what it was the last time. */
async function usesScreenReader({ screenReader }: ConverseOptions, terminal: Terminal): Promise<boolean> {
  const file = path.join(path.dirname(configPaths(terminal).globalFile), "screen-reader");
  if (screenReader === undefined) return isOn(file);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await replaceFile(file, screenReader ? "on\n" : "off\n", { mode: 0o600 });
  return screenReader;
}

/** Read synchronously: it is a few bytes, and the first frame waits for it. */
function isOn(file: string): boolean {
  try {
    return readFileSync(file, "utf8").trim() === "on";
  } catch {
    return false;
  }
}
