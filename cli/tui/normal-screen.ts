import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Terminal } from "../terminal.ts";
import { interruptible } from "../input/interruptible.ts";
import { serverArguments } from "../input/option-names.ts";
import type { Tui } from "./tui-context.ts";
import { exitCodes } from "../output/exit-codes.ts";
import { splitWords } from "../input/words.ts";

/** Runs a command of the command line with its own dialogue, in the normal screen. Ctrl+C ends the command only. */
export function inNormalScreen(command: string): (tui: Tui, argument: string) => Promise<void> {
  return async (tui, argument) => {
    const args = splitWords(argument).map(({ text }) => text);
    const { terminal, server } = tui;
    const all = [command, ...args, ...serverArguments(command, server)];
    await tui.outside(async () => {
      const { runProgram } = await import("../program.ts");
      const isLeft = await interruptible(terminal.signal, async (signal) => {
        const exitCode = await runProgram(all, { ...terminal, signal });
        if (signal.aborted) terminal.stdout.write("cancelled\n");
        return exitCode === exitCodes.interrupted && !signal.aborted;
      });
      // A dialogue that was left with Escape has nothing to read.
      if (isLeft) return;
      await interruptible(terminal.signal, (signal) => waitForEnter({ ...terminal, signal }));
    });
    await tui.refresh();
  };
}

async function waitForEnter({ stdin, stdout, signal }: Terminal): Promise<void> {
  stdout.write("\nPress Enter to go back to the conversation.");
  const lines = createInterface({ input: stdin });
  // Ctrl+C goes back, too.
  await once(lines, "line", { signal }).catch(() => {});
  lines.close();
}
