import type { ReplOptions } from "../repl/repl.ts";
import { detectStyle } from "../render/capabilities.ts";
import type { Terminal } from "../terminal.ts";
import { firstFrame } from "./chrome.ts";
import { drawFrame } from "./draw.ts";
import { openScreen } from "./modes.ts";
import { readInput } from "./read-input.ts";

/**
 * The full-screen conversation. The first frame needs little code and is shown at once; what is typed before the rest
 * is loaded is kept. Quitting leaves the last answer in the normal screen.
 */
export async function tui(options: ReplOptions, terminal: Terminal): Promise<number> {
  const { stdin, stdout, env, platform } = terminal;
  const style = detectStyle({ isTTY: true, columns: stdout.columns, env, platform, flags: { color: options.color } });
  using screen = openScreen({ stdin, stdout, mouse: true });
  screen.enter();
  const shown = firstFrame({ columns: stdout.columns, rows: stdout.rows }, style);
  stdout.write(drawFrame(undefined, shown, style));
  using input = readInput(terminal);
  const { runTui } = await import("./run-tui.ts");
  return await runTui(options, terminal, { screen, style, input, shown });
}
