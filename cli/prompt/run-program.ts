import { serverArguments } from "../input/option-names.ts";
import { splitWords } from "../input/words.ts";
import type { PromptContext } from "./prompt-context.ts";

/** Runs a command of the command line, on the server that the conversation uses. */
export function runProgram(command: string): (context: PromptContext, argument: string) => Promise<void> {
  return async (context, argument) =>
    context.runProgram([
      command,
      ...splitWords(argument).map(({ text }) => text),
      ...serverArguments(command, context.server),
    ]);
}
