import type { Command, CommanderError } from "commander";
import { CitewellError } from "../../server/errors.ts";
import { ownersOf } from "../definitions/global-options.ts";
import { fullName } from "../definitions/help.ts";

/** Wrong usage, in a sentence that names the command, with the help to read. */
export function toUsageError(
  { message, code }: CommanderError,
  { args, program }: { args: readonly string[]; program: Command },
): CitewellError {
  const command = findCommand(args, program);
  const name = fullName(command).replace(/^citewell ?/, "");
  const help = name === "" ? "citewell --help lists the commands" : `citewell help ${name} lists its options`;
  const unknown = code === "commander.unknownOption" ? /'(-[^']*)'/.exec(message)?.[1] : undefined;
  const owners = unknown === undefined ? [] : ownersOf(unknown, program);
  const text =
    owners.length === 0 ? message : `${name} does not take ${unknown}; it is an option of ${owners.join(", ")}`;
  return new CitewellError("InvalidUsage", text.replace(/^error: /, ""), { hint: help });
}

/**
 * Follows the words as far as they name commands. The value of an option may look like a command: there is none of that
 * name below one.
 */
export function findCommand(words: readonly string[], program: Command): Command {
  return words.reduce((command, word) => command.commands.find((child) => child.name() === word) ?? command, program);
}
