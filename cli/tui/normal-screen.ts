import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Terminal } from "../terminal.ts";
import type { Tui } from "./tui-context.ts";
import { splitWords } from "./words.ts";

/** Runs a command of the command line with its own dialogue, in the normal screen. */
export function inNormalScreen(command: string): (tui: Tui, argument: string) => Promise<void> {
  return async (tui, argument) => {
    const args = splitWords(argument).map(({ text }) => text);
    await tui.outside(async () => {
      const { runProgram } = await import("../program.ts");
      await runProgram([command, ...args], tui.terminal);
      await waitForEnter(tui.terminal);
    });
    const { resources } = await tui.app.listResources({});
    tui.resources = resources;
  };
}

async function waitForEnter({ stdin, stdout }: Terminal): Promise<void> {
  stdout.write("\nPress Enter to go back to the conversation.");
  const lines = createInterface({ input: stdin });
  await once(lines, "line");
  lines.close();
}
