import { Argument, Option } from "commander";
import type { Definition } from "./definition.ts";
import { collect, parsePort, portOption } from "./global-options.ts";

/** The program itself: its server, and how it is. */
export function defineServiceCommands({ program, terminal, finish }: Definition): void {
  program
    .command("serve")
    .description("start the local HTTP server on 127.0.0.1")
    .option("-p, --port <port>", "the port to listen on; 0 picks a free one", parsePort, 8080)
    .action(async (options) => finish(await (await import("../commands/serve.ts")).serve(options, terminal)));

  // The editor's extension starts it; the options are those that language clients pass.
  program
    .command("lsp", { hidden: true })
    .description("serve an editor over the language server protocol")
    .option("--stdio", "over standard input and output; the default")
    .option("--node-ipc", "over the channel of the process that forked this one")
    .addOption(portOption())
    .addOption(new Option("--clientProcessId <pid>", "the client's process").hideHelp())
    .action(async (options) => finish(await (await import("../commands/lsp.ts")).lsp(options, terminal)));

  const mcp = program
    .command("mcp")
    .description("serve coding agents over standard input and output (Model Context Protocol)")
    .option("--structured", "add structured results and output schemas to the text of the tools")
    .action(async (options) => finish(await (await import("../commands/mcp.ts")).mcp(options, terminal)));
  mcp
    .command("local")
    .description("write this server into the settings of editors and agents")
    .option(
      "-c, --client <name>",
      "the client, such as claude-code, codex, gemini-cli, cursor (repeatable); prompts if omitted",
      collect,
      [],
    )
    .addOption(
      new Option("-s, --scope <scope>", "for this project, or for your user account").choices(["project", "user"]),
    )
    .option("--remove", "remove it again")
    .option("-y, --yes", "write without confirmation")
    .option("--dry-run", "only show what would be written, and where")
    .addHelpText(
      "after",
      `
Clients:
  amp, claude-code, claude-desktop, cline, codex, copilot-cli, crush, cursor,
  gemini-cli, goose, jetbrains, junie, kiro, lm-studio, opencode, qwen-code,
  vscode, windsurf, zed; for any other name the entry to paste is printed.`,
    )
    .action(async (options) => finish(await (await import("../commands/mcp-local.ts")).mcpLocal(options, terminal)));
  mcp
    .command("skill")
    .description("print a skill (SKILL.md) for agents that run commands instead of tools")
    .action(async () => finish(await (await import("../commands/mcp-skill.ts")).mcpSkill(terminal)));

  program
    .command("doctor")
    .description("check what questions depend on: report ok, warn or fail for each check, with a fix")
    .option("--deep", "also ask the model in use one word, which may cost")
    .action(async (options) => finish(await (await import("../commands/doctor.ts")).doctor(options, terminal)));

  program
    .command("completion")
    .description("print a script that completes the command line in your shell")
    .addArgument(new Argument("<shell>", "the shell").choices(["bash", "zsh", "fish", "powershell"]))
    .action(async (shell) => finish(await (await import("../commands/completion.ts")).completion(shell, terminal)));

  program
    .command("__complete", { hidden: true })
    .argument("[words...]")
    .action(async (words) =>
      finish(await (await import("../commands/complete.ts")).complete(words, program, terminal)),
    );
}
