import { CommanderError } from "commander";
import { CitewellError, toCitewellError, toErrorBody } from "../server/errors.ts";
import { exitCodeOf } from "./exit.ts";
import { jsonText, wantsJson } from "./json.ts";
import { Interruption, type Terminal, write } from "./terminal.ts";

/** Says what failed, why, and what to do: as JSON on standard output where that was asked for, else on standard error. */
export async function reportError(
  thrown: unknown,
  { args, terminal }: { args: readonly string[]; terminal: Terminal },
): Promise<number> {
  const { reason } = terminal.signal;
  if (reason instanceof Interruption) return reason.exitCode;
  const error = thrown instanceof CommanderError ? toUsageError(thrown) : toCitewellError(thrown);
  if (wantsJson(args)) {
    await write(terminal.stdout, jsonText(toErrorBody(error), { isLine: args.includes("--jsonl") }));
    return exitCodeOf(error);
  }
  const hint = error.hint === undefined ? "" : `hint: ${error.hint}\n`;
  const details = args.includes("--verbose") ? `${causes(error)}\n` : "";
  await write(terminal.stderr, `error: ${error.message}\n${hint}${details}`);
  return exitCodeOf(error);
}

function toUsageError({ message, code }: CommanderError): CitewellError {
  const isQuestion = code === "commander.excessArguments" && message.includes("'ask'");
  const hint = isQuestion ? 'give the question as -q "…"' : "citewell --help lists what there is";
  return new CitewellError("InvalidUsage", message.replace(/^error: /, ""), { hint });
}

function causes(error: Error): string {
  const own = error.stack ?? error.message;
  return error.cause instanceof Error ? `${own}\ncaused by: ${causes(error.cause)}` : own;
}
