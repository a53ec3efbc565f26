import type { ReplOptions } from "../repl/repl.ts";
import type { Terminal } from "../terminal.ts";
import { type Preferences, readPreferences, savePreferences } from "../prompt/preferences.ts";

/** Options of bare `citewell` and `citewell repl`. */
export interface ConverseOptions extends Omit<ReplOptions, "preferences"> {
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
  const preferences = await preferencesFor(options, terminal);
  const linear = env["TERM"] === "dumb" || preferences.screenReader;
  if (!isTerminal || options.tui === false || linear)
    return (await import("../repl/repl.ts")).repl({ ...options, linear, preferences }, terminal);
  return (await import("../tui/tui.ts")).tui({ ...options, preferences }, terminal);
}

/** The stored preferences; the option changes them. */
async function preferencesFor({ screenReader }: ConverseOptions, terminal: Terminal): Promise<Preferences> {
  const stored = readPreferences(terminal);
  if (screenReader === undefined) return stored;
  const changed = { ...stored, screenReader };
  await savePreferences(changed, terminal);
  return changed;
}
