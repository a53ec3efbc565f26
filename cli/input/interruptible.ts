import { exitCodes } from "../output/exit-codes.ts";
import { Interruption } from "../terminal.ts";

/**
 * Runs a part of a longer conversation. The first Ctrl+C aborts the part's signal, in place of ending the process; the
 * next one ends the process as usual.
 */
export async function interruptible<Result>(
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const usual = process.listeners("SIGINT");
  const interruption = new AbortController();
  const restore = () => {
    process.off("SIGINT", interrupt);
    for (const listener of usual.splice(0)) process.on("SIGINT", listener);
  };
  const interrupt = () => {
    restore();
    interruption.abort(new Interruption("interrupted", exitCodes.interrupted));
  };
  for (const listener of usual) process.off("SIGINT", listener);
  process.on("SIGINT", interrupt);
  try {
    return await work(AbortSignal.any([signal, interruption.signal]));
  } finally {
    restore();
  }
}
