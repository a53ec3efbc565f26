import { Command, CommanderError } from "commander";
import { version } from "../package.json";
import { addGlobalOptions, shareCommonOptions } from "./definitions/global-options.ts";
import { describeOption, formatHelp } from "./definitions/help.ts";
import { defineHostedCommands } from "./definitions/hosted.ts";
import { defineQuestionCommands } from "./definitions/questions.ts";
import { defineResourceCommands } from "./definitions/resources.ts";
import { defineServiceCommands } from "./definitions/service.ts";
import { defineSettingCommands } from "./definitions/settings.ts";
import { defineThreadCommands } from "./definitions/threads.ts";
import { exitCodeHelp, exitCodes } from "./output/exit-codes.ts";
import { wantsJson } from "./output/json.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Runs one command line and returns the exit code. This file and the definitions are what `--help` and `--version`
 * cost: they import commander and nothing else.
 */
export async function runProgram(args: readonly string[], terminal: Terminal): Promise<number> {
  let exitCode: number = exitCodes.ok;
  const finish = (code: number) => {
    exitCode = code;
  };
  const program = createProgram(terminal, finish);
  const isBare = namesNoCommand(args, program);
  if (isBare && !wantsJson(args) && !(terminal.stdin.isTTY && terminal.stdout.isTTY)) return showUsage(program);
  try {
    await program.parseAsync(isBare ? ["repl", ...args] : args, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.ok;
    if (error instanceof CommanderError && error.code === "commander.help" && !wantsJson(args)) return exitCodes.usage;
    const { reportError } = await import("./output/report-error.ts");
    return reportError(error, { args, terminal, program });
  }
}

/** The whole command line as data; help, completion and documentation are made from it. */
export function createProgram(terminal: Terminal, finish: (exitCode: number) => void): Command {
  const program = new Command("citewell")
    .description("Ask any codebase; every claim comes with a source you can open.")
    .version(version, "-v, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show the help of a command")
    .showSuggestionAfterError()
    .enablePositionalOptions()
    .exitOverride()
    .configureHelp({ formatHelp, optionDescription: describeOption })
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
      // Commander would print the error as well; `runProgram` reports it like every other.
      outputError: () => {},
      getOutHelpWidth: () => terminal.stdout.columns ?? 80,
      getErrHelpWidth: () => terminal.stderr.columns ?? 80,
    })
    .addHelpText(
      "after",
      `
${exitCodeHelp()}`,
    );
  addGlobalOptions(program);
  const definition = { program, terminal, finish };
  defineQuestionCommands(definition);
  defineThreadCommands(definition);
  defineResourceCommands(definition);
  defineSettingCommands(definition);
  defineServiceCommands(definition);
  defineHostedCommands(definition);
  shareCommonOptions(program, version);
  return program;
}

/** Only options, all of them known: then it is a session that is wanted. */
function namesNoCommand(args: readonly string[], program: Command): boolean {
  const optionOf = (arg: string) => program.options.find(({ long }) => long === arg.split("=")[0]);
  return args.every((arg, index) => {
    const before = args[index - 1];
    if (before !== undefined && optionOf(before)?.required === true) return true;
    const option = optionOf(arg);
    return option !== undefined && option.attributeName() !== "version";
  });
}

/** Without a TTY, a missing command is a usage error. */
function showUsage(program: Command): number {
  program.outputHelp({ error: true });
  return exitCodes.usage;
}
