import { type Command, CommanderError } from "commander";
import { toCitewellError, toErrorBody } from "../../server/errors.ts";
import { exitCodeOf } from "./exit.ts";
import { errorLine } from "./error-line.ts";
import { jsonText, wantsJson } from "./json.ts";
import { Interruption, type Terminal, write } from "../terminal.ts";
import { toUsageError } from "../input/usage-error.ts";

/** Says what failed, why, and what to do: as JSON on standard output where that was asked for, else on standard error. */
export async function reportError(
  thrown: unknown,
  { args, terminal, program }: { args: readonly string[]; terminal: Terminal; program?: Command },
): Promise<number> {
  const { reason } = terminal.signal;
  if (reason instanceof Interruption) return reason.exitCode;
  const isUsage = thrown instanceof CommanderError && program !== undefined;
  const error = isUsage ? toUsageError(thrown, { args, program }) : toCitewellError(thrown);
  if (wantsJson(args)) {
    await write(terminal.stdout, args.includes("--jsonl") ? errorLine(error) : jsonText(toErrorBody(error)));
    return exitCodeOf(error);
  }
  const hint = error.hint === undefined ? "" : `hint: ${error.hint}\n`;
  const details = args.includes("--verbose") ? `${causes(error)}\n` : "";
  await write(terminal.stderr, `error: ${error.message}\n${hint}${details}`);
  return exitCodeOf(error);
}

function causes(error: Error): string {
  const own = error.stack ?? error.message;
  return error.cause instanceof Error ? `${own}\ncaused by: ${causes(error.cause)}` : own;
}
