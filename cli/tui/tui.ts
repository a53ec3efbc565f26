import type { ReplOptions } from "../repl/repl.ts";
import { detectStyle } from "../render/capabilities.ts";
import type { Terminal } from "../terminal.ts";
import { limitHeapGrowth } from "../heap-growth.ts";
import { paintSpans } from "../render/spans.ts";
import { firstFrame, welcomeLines } from "./chrome.ts";
import { drawFrame } from "./draw.ts";
import { openScreen } from "./modes.ts";
import { readInput } from "./read-input.ts";
import { firstState } from "./state.ts";

/** Options of the full-screen conversation. */
export interface TuiOptions extends ReplOptions {
  /** Use the normal screen. */
  inline?: boolean;
}

/**
 * The full-screen conversation. The first frame needs little code and is shown at once; what is typed before the rest
 * is loaded is kept. Quitting leaves the last answer in the normal screen.
 */
export async function tui(options: TuiOptions, terminal: Terminal): Promise<number> {
  const { stdin, stdout, env, platform } = terminal;
  const style = detectStyle({ isTTY: true, columns: stdout.columns, env, platform, flags: { color: options.color } });
  const isInline = options.inline === true;
  using screen = openScreen({ stdin, stdout, isInline, hasMouse: options.preferences.mouse !== "off" });
  screen.enter();
  const size = { columns: stdout.columns, rows: stdout.rows };
  const shown = firstFrame(size, style);
  if (isInline)
    stdout.write(
      welcomeLines(firstState.welcome, size.columns, style)
        .map((line) => `${paintSpans(line, style)}\r\n`)
        .join(""),
    );
  else stdout.write(drawFrame(undefined, shown, style));
  using input = readInput(terminal);
  // The modules loaded next would let the heap grow.
  limitHeapGrowth();
  const { runTui } = await import("./run-tui.ts");
  return await runTui(options, terminal, { screen, style, input, shown });
}
