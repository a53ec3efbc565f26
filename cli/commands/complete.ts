import type { Argument, Command, Option } from "commander";
import { readResourceNames } from "../../server/config/resource-names.ts";
import { findCommand } from "../input/usage-error.ts";
import { exitCodes } from "../output/exit-codes.ts";
import { type Terminal, write } from "../terminal.ts";

interface Candidate {
  value: string;
  description?: string;
}

/**
 * Completions of the last word, one per line, with a tab before the description. Runs at each press of Tab, so it loads
 * only what reads the configuration, and reports no errors.
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
  const options = visibleOptions(command);
  const previous = options.find(({ short, long }) => before.at(-1) === short || before.at(-1) === long);
  if (previous?.required === true) return valuesOf(previous, command, terminal);
  if (current.startsWith("-")) return options.map(({ long, description }) => ({ value: long ?? "", description }));
  if (command === program)
    return [...subcommands(program), { value: "help", description: "show the help of a command" }];
  if (command.commands.length > 0) return subcommands(command);
  const argument = argumentAt(before, command);
  if (argument?.argChoices !== undefined) return argument.argChoices.map((value) => ({ value }));
  return valuesOfArgument(argument?.name(), command, terminal);
}

/** The argument that the next word would be; the last one where it may be repeated. */
function argumentAt(before: readonly string[], command: Command): Argument | undefined {
  const own = before.slice(before.lastIndexOf(command.name()) + 1);
  const positional = own.filter((word, index) => {
    const option = command.options.find(({ short, long }) => own[index - 1] === short || own[index - 1] === long);
    return !word.startsWith("-") && option?.required !== true;
  });
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  return registeredArguments[positional.length] ?? (last?.variadic === true ? last : undefined);
}

async function valuesOfArgument(name: string | undefined, command: Command, terminal: Terminal): Promise<Candidate[]> {
  const isOfThreads = command.name() === "threads" || command.name() === "recheck";
  if (isOfThreads && (name === "id" || name === "ids")) return threadIds(terminal);
  return name === "name" ? resourceNames(terminal) : [];
}

function subcommands(command: Command): Candidate[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== "help")
    .map((child) => ({ value: child.name(), description: child.description() }));
}

function visibleOptions(command: Command): Option[] {
  return command.options.filter(({ hidden }) => !hidden);
}

async function valuesOf(option: Option, command: Command, terminal: Terminal): Promise<Candidate[]> {
  if (option.argChoices !== undefined) return option.argChoices.map((value) => ({ value }));
  switch (option.long ?? "") {
    case "--resource":
      return resourceNames(terminal);
    case "--thread":
      return [{ value: "new", description: "begin one" }, ...(await threadIds(terminal))];
    case "--provider":
      return providers();
    case "--client":
      return command.name() === "local" ? mcpClients() : [];
    default:
      return [];
  }
}

async function providers(): Promise<Candidate[]> {
  const { definitions } = await import("../../server/providers/definitions.ts");
  return Object.entries(definitions).map(([value, { name }]) => ({ value, description: name }));
}

async function mcpClients(): Promise<Candidate[]> {
  const { mcpClients: clients } = await import("../agent-settings/client-list.ts");
  return clients.map(({ id, name }) => ({ value: id, description: name }));
}

/** The kept conversations, with how they begin. */
async function threadIds(terminal: Terminal): Promise<Candidate[]> {
  const { loadConfig } = await import("../../server/config/config.ts");
  const { createThreadStore } = await import("../../server/threads/threads.ts");
  const threads = await loadConfig(terminal)
    .then(({ dataDirectory }) => createThreadStore({ dataDirectory }).list())
    .catch(() => []);
  return threads.map(({ id, title }) => ({ value: id, description: title.replace(/\s+/g, " ") }));
}

async function resourceNames(terminal: Terminal): Promise<Candidate[]> {
  const names = await readResourceNames(terminal).catch(() => []);
  return names.map((value) => ({ value }));
}
