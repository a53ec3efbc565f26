import { type Command, InvalidArgumentError, Option } from "commander";

/** Options that every command takes, before or after its name. */
export interface CommonOptions {
  json?: boolean;
  color: boolean;
  quiet?: boolean;
  verbose?: boolean;
  /** `false` is `--no-input`: nothing is asked. */
  input: boolean;
  /** Also serve HTTP there while the command lives; 0 is off. */
  port: number;
}

/** Of commands that can have a server do the work. */
export interface ServerOptions extends CommonOptions {
  server?: string;
}

/** Adds them to the program, where its help and that of each command list them. */
export function addGlobalOptions(program: Command): void {
  for (const option of [...createOptions(), serverOption().hideHelp(false)]) program.addOption(option);
  program.hook("preAction", (_program, command) => inheritOptions(command));
}

/**
 * Adds them to each command as well, hidden there, unless it has one of the name itself. `--server` is for those
 * commands only that say so.
 */
export function shareGlobalOptions(command: Command): void {
  for (const child of command.commands) {
    for (const option of createOptions()) if (!has(child, option)) child.addOption(option.hideHelp());
    shareGlobalOptions(child);
  }
}

/** For commands that can have a server do the work; the program's own help tells of it. */
export function serverOption(): Option {
  const description = "let this running server do it (ask, search, add, remove, resources, status, clear)";
  return new Option("--server <url>", description).hideHelp();
}

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

/** Of which there may be none. */
export function parseCountOrNone(text: string): number {
  return text === "0" ? 0 : parseCount(text);
}

/** Gathers what a repeatable option was given. */
export function collect(value: string, earlier: string[]): string[] {
  return [...earlier, value];
}

function createOptions(): Option[] {
  return [
    new Option("--json", "print one JSON document"),
    new Option("--no-color", "no colours"),
    new Option("--quiet", "no progress and no notes"),
    new Option("--verbose", "say more, with causes, on standard error"),
    new Option("--no-input", "never ask; fail where an answer is needed"),
    new Option("--port <port>", "also serve HTTP on this port meanwhile; 0 does not").argParser(parsePort).default(0),
    new Option("--no-tui", "line by line in place of the full screen"),
    new Option("--no-thinking", "do not show the model's reasoning"),
    new Option("--no-tools", "do not show what the tools did"),
    new Option("--sub-agent", "only the answer: no reasoning, tools or progress"),
  ];
}

/** What was given before the command counts for it, unless it was given after it, too. */
function inheritOptions(command: Command): void {
  for (let parent = command.parent; parent !== null; parent = parent.parent) {
    for (const option of parent.options) {
      const name = option.attributeName();
      if (parent.getOptionValueSource(name) !== "cli") continue;
      if (!has(command, option)) command.error(`error: ${command.name()} does not take ${option.long}`);
      if (command.getOptionValueSource(name) === "cli") continue;
      command.setOptionValueWithSource(name, parent.getOptionValue(name), "cli");
    }
  }
}

function has(command: Command, { long }: Option): boolean {
  return command.options.some((option) => option.long === long);
}
