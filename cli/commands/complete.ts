import type { Command, Option } from "commander";
import { readResourceNames } from "../../server/config/resource-names.ts";
import { exitCodes } from "../exit-codes.ts";
import { type Terminal, write } from "../terminal.ts";

interface Candidate {
  value: string;
  description?: string;
}

/**
 * What may stand in place of the last word, one per line, a tab before its description. Runs at each press of Tab: of
 * the rest of the program it loads what reads the configuration, and nothing that fails is told.
 */
export async function complete(words: readonly string[], program: Command, terminal: Terminal): Promise<number> {
  const current = words.at(-1)?.trim() ?? "";
  const candidates = await candidatesFor(words.slice(0, -1), current, { program, terminal });
  const lines = candidates
    .filter(({ value }) => value.startsWith(current))
    .map(({ value, description = "" }) => `${value}${description === "" ? "" : `\t${description}`}\n`);
  await write(terminal.stdout, lines.join(""));
  return exitCodes.ok;
}

async function candidatesFor(
  before: readonly string[],
  current: string,
  { program, terminal }: { program: Command; terminal: Terminal },
): Promise<Candidate[]> {
  const command = findCommand(before, program);
  const options = visibleOptions(command, program);
  const previous = options.find(({ short, long }) => before.at(-1) === short || before.at(-1) === long);
  if (previous?.required === true) return valuesOf(previous, terminal);
  if (current.startsWith("-")) return options.map(({ long, description }) => ({ value: long ?? "", description }));
  if (command === program)
    return [...subcommands(program), { value: "help", description: "show the help of a command" }];
  if (command.commands.length > 0) return subcommands(command);
  const [argument] = command.registeredArguments;
  if (argument?.argChoices !== undefined) return argument.argChoices.map((value) => ({ value }));
  return argument?.name() === "name" ? resourceNames(terminal) : [];
}

/** As deep as the words lead. What stands for the value of an option may look like a command: there is none of that name. */
function findCommand(words: readonly string[], program: Command): Command {
  return words.reduce((command, word) => command.commands.find((child) => child.name() === word) ?? command, program);
}

function subcommands(command: Command): Candidate[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== "help")
    .map((child) => ({ value: child.name(), description: child.description() }));
}

/** Its own and the program's, which every command takes. */
function visibleOptions(command: Command, program: Command): Option[] {
  const all = [...command.options, ...program.options].filter(({ hidden }) => !hidden);
  return [...new Map(all.map((option) => [option.long, option])).values()];
}

async function valuesOf(option: Option, terminal: Terminal): Promise<Candidate[]> {
  if (option.argChoices !== undefined) return option.argChoices.map((value) => ({ value }));
  return option.long === "--resource" ? resourceNames(terminal) : [];
}

async function resourceNames(terminal: Terminal): Promise<Candidate[]> {
  const names = await readResourceNames(terminal).catch(() => []);
  return names.map((value) => ({ value }));
}
