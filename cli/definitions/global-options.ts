import { type Command, InvalidArgumentError, Option } from "commander";
import { fullName } from "./help.ts";

/** Options that every command takes, before or after its name. */
export interface CommonOptions {
  json?: boolean;
  color: boolean;
  quiet?: boolean;
  verbose?: boolean;
  /** `false` is `--no-input`: no prompt is shown. */
  input: boolean;
}

/** Options of commands that a running server can carry out. */
export interface ServerOptions extends CommonOptions {
  server?: string;
  /** Also serve HTTP there while the command runs; 0 is off. */
  port?: number;
}

/** Adds every option that may come before the command's name. */
export function addGlobalOptions(program: Command): void {
  for (const option of [...commonOptions(), serverOption(), ...contractOptions(), ...screenOptions()]) {
    if (!has(program, option)) program.addOption(option);
  }
  program.hook("preAction", (_program, command) => {
    inheritOptions(command, program);
    refuseUselessPort(command, program);
  });
}

/**
 * Adds the options that every command takes. The global options of docs/contract.md ("Command line"), except
 * `--server`, are accepted everywhere, too; help shows them only where they have an effect.
 */
export function shareCommonOptions(command: Command, version: string): void {
  for (const child of command.commands) {
    for (const option of commonOptions()) if (!has(child, option)) child.addOption(option.helpGroup("Common options:"));
    for (const option of contractOptions()) if (!has(child, option)) child.addOption(option.hideHelp());
    child.version(version, "-v, --version", "print the version");
    child.options.find(({ long }) => long === "--version")?.hideHelp();
    shareCommonOptions(child, version);
  }
}

/** The option of commands that a running server can carry out. */
export function serverOption(): Option {
  return new Option("--server <url>", "use the Citewell server running at this URL");
}

/** The option of commands that keep an application open, which can be served meanwhile. */
export function portOption(): Option {
  return new Option("--port <port>", "also serve HTTP on this port while this command runs; 0 turns this off")
    .argParser(parsePort)
    .default(0);
}

/** `--no-tui` of the contract. */
function noTuiOption(): Option {
  return new Option("--no-tui", "use the line-based prompt, not the full screen");
}

/** How a conversation uses the terminal. */
export function screenOptions(): Option[] {
  return [
    noTuiOption(),
    new Option("--inline", "keep the conversation in the terminal's scrollback instead of the full screen"),
    new Option("--screen-reader", "print lines only, without colours; remembered until --no-screen-reader"),
    new Option("--no-screen-reader", "the full screen again").hideHelp(),
  ];
}

/** The options of commands that show an answer as it comes. */
export function answerOptions(): Option[] {
  return [
    new Option("--no-thinking", "hide the model's reasoning"),
    new Option("--no-tools", "hide tool calls"),
    new Option("--sub-agent", "print only the answer"),
  ];
}

/** Parses a port. @throws InvalidArgumentError (not a whole number up to 65,535) */
export function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError("A port is a whole number from 0 to 65535.");
}

/** How many; the operation says how many may be. */
export function parseCount(text: string): number {
  if (/^[1-9]\d*$/.test(text)) return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
  throw new InvalidArgumentError("It is a whole number, 1 or more.");
}

/** Parses a count that may be 0. */
export function parseCountOrNone(text: string): number {
  return text === "0" ? 0 : parseCount(text);
}

/** Gathers what a repeatable option was given. */
export function collect(value: string, earlier: string[]): string[] {
  return [...earlier, value];
}

/** Takes one of `choices`, again and again. */
export function collectChoice(choices: readonly string[]): (value: string, earlier: string[]) => string[] {
  return (value, earlier) => {
    if (choices.includes(value)) return [...earlier, value];
    throw new InvalidArgumentError(`Allowed choices are ${choices.join(", ")}.`);
  };
}

/** The commands that take an option, by their names. */
export function ownersOf(flag: string, program: Command): string[] {
  const name = flag.split("=")[0];
  return commandsBelow(program)
    .filter(({ options }) => options.some(({ long, short, hidden }) => !hidden && (long === name || short === name)))
    .map((command) => fullName(command).replace(/^citewell /, ""));
}

function commandsBelow(command: Command): Command[] {
  const visible = command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.parent === command);
  return visible.flatMap((child) => [child, ...commandsBelow(child)]);
}

function contractOptions(): Option[] {
  return [portOption(), noTuiOption(), ...answerOptions()];
}

function commonOptions(): Option[] {
  return [
    new Option("--json", "print one JSON document"),
    new Option("--no-color", "no colours"),
    new Option("--quiet", "hide progress and notes"),
    new Option("--verbose", "more detail, with causes, on standard error"),
    new Option("--no-input", "never prompt; fail if input is needed"),
  ];
}

/** Options before the command apply to it, unless repeated after it. */
function inheritOptions(command: Command, program: Command): void {
  for (let parent = command.parent; parent !== null; parent = parent.parent) {
    for (const option of parent.options) {
      const name = option.attributeName();
      if (parent.getOptionValueSource(name) !== "cli") continue;
      if (!has(command, option)) refuse(option, command, program);
      if (command.getOptionValueSource(name) === "cli") continue;
      command.setOptionValueWithSource(name, parent.getOptionValue(name), "cli");
    }
  }
}

/** The contract lets every command take `--port`; one that serves nothing must not look as if it did. */
function refuseUselessPort(command: Command, program: Command): void {
  const option = command.options.find(({ long }) => long === "--port");
  if (option?.hidden === true && command.getOptionValue("port") !== 0) refuse(option, command, program);
}

/** A command that no server can do must not look as if one had. */
function refuse({ long }: Option, command: Command, program: Command): never {
  const owners = ownersOf(long ?? "", program).join(", ");
  const name = fullName(command).replace(/^citewell /, "");
  return command.error(`error: ${name} does not take ${long}; it is an option of ${owners}`);
}

function has(command: Command, { long }: Option): boolean {
  return command.options.some((option) => option.long === long);
}
