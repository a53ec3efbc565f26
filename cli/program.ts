import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { version } from "../package.json";
import { exitCodeHelp, exitCodes } from "./exit-codes.ts";
import type { Terminal } from "./terminal.ts";

/** Options that every command takes. */
export interface CommonOptions {
  json?: boolean;
  color: boolean;
  quiet?: boolean;
  verbose?: boolean;
}

/**
 * Runs one command line and returns the exit code. The commands' code is loaded only when its command is run: this
 * file is what `--help` and `--version` cost.
 */
export async function runProgram(args: readonly string[], terminal: Terminal): Promise<number> {
  let exitCode: number = exitCodes.ok;
  const finish = (code: number) => {
    exitCode = code;
  };
  const program = createProgram(terminal, finish);
  if (args.length === 0) return showHelp(program, terminal);
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    const { reportError } = await import("./report-error.ts");
    return reportError(error, { args, terminal });
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
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
      getOutHelpWidth: () => terminal.stdout.columns ?? 80,
      getErrHelpWidth: () => terminal.stderr.columns ?? 80,
    })
    .addHelpText(
      "after",
      `
Examples:
  citewell ask -q "How are routes matched?" -r npm:express
  citewell ask -q "Where is the retry policy?" -r .
  citewell add https://github.com/expressjs/express && citewell ask -q "What does @express do on errors?"

${exitCodeHelp}`,
    );

  command(program, "ask", "ask a question of one or more resources")
    .option("-q, --question <text>", "the question; `-` reads it from standard input, `@file` from a file")
    .option("-r, --resource <name>", "a configured name, git URL, npm:<package> or path; repeatable", collect, [])
    .option("--no-thinking", "do not show the model's reasoning")
    .option("--no-tools", "do not show what the tools did")
    .option("--sub-agent", "only the answer: no reasoning, tools or progress")
    .option("--strict", "fail when a citation is not verified or relocated, or there is none")
    .option("--provider <id>", "the provider to ask, instead of the configured one")
    .option("--model <id>", "the model to ask, instead of the configured one")
    .option("--jsonl", "print the events of the stream, one JSON object per line")
    .addHelpText(
      "after",
      `
Examples:
  citewell ask -q "How does zod check an email?" -r npm:zod
  git diff | citewell ask -q "What does this change break?" -r .
  citewell ask -q @question.md -r https://github.com/honojs/hono --json`,
    )
    .action(async (options) => finish(await (await import("./commands/ask.ts")).ask(options, terminal)));

  command(program, "add", "add a git repository, a local folder or an npm package")
    .argument("[url-or-path]", "an HTTPS URL, a folder, a package name or npm:<package>[@version]")
    .option("-g, --global", "write the global configuration, where there is no project configuration")
    .option("-n, --name <name>", "the name to ask it by; made from the reference by default")
    .option("-b, --branch <branch>", "the branch, tag or full commit id of a git repository (default: main)")
    .option("-s, --search-path <path>", "read only below this path of a git repository; repeatable", collect, [])
    .option("--notes <text>", "notes for the model")
    .addOption(new Option("-t, --type <type>", "what it is, when it cannot be told").choices(["git", "local", "npm"]))
    .addHelpText(
      "after",
      `
Examples:
  citewell add https://github.com/sveltejs/svelte -s documentation
  citewell add ./packages/core --name core --notes "our own library"
  citewell add npm:@tanstack/query-core`,
    )
    .action(async (reference, options) =>
      finish(await (await import("./commands/add.ts")).add(reference, options, terminal)),
    );

  command(program, "resources", "list the configured resources and what is on disk of each").action(async (options) =>
    finish(await (await import("./commands/resources.ts")).resources(options, terminal)),
  );

  command(program, "remove", "remove a resource from the configuration")
    .argument("[name]", "the resource's name")
    .option("-g, --global", "remove it from the global configuration")
    .action(async (name, options) =>
      finish(await (await import("./commands/remove.ts")).remove(name, options, terminal)),
    );

  command(program, "serve", "start the local HTTP server on 127.0.0.1")
    .option("-p, --port <port>", "the port; 0 lets the system choose", parsePort, 8080)
    .addHelpText(
      "after",
      `
Examples:
  citewell serve
  citewell serve --port 0 --json`,
    )
    .action(async (options) => finish(await (await import("./commands/serve.ts")).serve(options, terminal)));

  command(program, "status", "show the model in use, where settings come from, and the resources").action(
    async (options) => finish(await (await import("./commands/status.ts")).status(options, terminal)),
  );
  return program;
}

function command(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .helpOption("-h, --help", "show help")
    .option("--json", "print one JSON document")
    .option("--no-color", "no colours")
    .option("--quiet", "no progress and no notes")
    .option("--verbose", "say more, with causes, on standard error");
}

function collect(value: string, earlier: string[]): string[] {
  return [...earlier, value];
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError("A port is a whole number from 0 to 65535.");
}

/** Bare `citewell`: the help. Without a terminal it is an incomplete command line. */
function showHelp(program: Command, terminal: Terminal): number {
  if (terminal.stdout.isTTY && terminal.stdin.isTTY) {
    program.outputHelp();
    return exitCodes.ok;
  }
  program.outputHelp({ error: true });
  return exitCodes.usage;
}
