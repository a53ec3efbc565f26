import { interruptible } from "../input/interruptible.ts";
import { exitCodes } from "../output/exit-codes.ts";
import type { Terminal } from "../terminal.ts";
import type { Tui } from "./tui-context.ts";

/** Runs a command of the command line with its own dialogue, in the normal screen. Ctrl+C ends the command only. */
export async function runInNormalScreen(tui: Tui, args: readonly string[]): Promise<void> {
  const { terminal } = tui;
  await tui.outside(async () => {
    const { runProgram } = await import("../program.ts");
    const isLeft = await interruptible(terminal.signal, async (signal) => {
      const exitCode = await runProgram(args, { ...terminal, signal });
      if (signal.aborted) terminal.stdout.write("cancelled\n");
      return exitCode === exitCodes.interrupted && !signal.aborted;
    });
    // A dialogue that was left with Escape has nothing to read.
    if (isLeft) return;
    await interruptible(terminal.signal, (signal) => waitForKey({ ...terminal, signal }));
  });
  await tui.refresh();
}

/** Any key goes back; one that types or does something does so in the conversation. */
async function waitForKey({ stdin, stdout, signal }: Terminal): Promise<void> {
  stdout.write("\nPress any key to go back to the conversation.");
  stdin.setRawMode?.(true);
  const typed = await new Promise<Buffer>((resolve) => {
    const finish = (chunk = Buffer.alloc(0)) => {
      // Before the next chunk is read, which is for the conversation.
      stdin.pause().off("data", finish).off("end", finish);
      signal.removeEventListener("abort", leave);
      resolve(chunk);
    };
    const leave = () => finish();
    stdin.on("data", finish).on("end", finish).resume();
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave);
  });
  const kept = /^[\r\n]/.test(typed.toString()) ? typed.subarray(1) : typed;
  if (kept.length > 0 && !goBack.has(kept.toString())) stdin.unshift(kept);
}

/** Space, Escape and Ctrl+C, alone. */
const goBack: ReadonlySet<string> = new Set([" ", "\u001B", "\u0003"]);
