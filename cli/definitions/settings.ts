import { Option } from "commander";
import type { Definition } from "./definition.ts";
import { portOption, serverOption } from "./global-options.ts";

/** Options for the model and the location of settings. */
export function defineSettingCommands({ program, terminal, finish }: Definition): void {
  program
    .command("status")
    .description("show the model in use, where settings come from, and the resources")
    .addOption(serverOption())
    .addOption(portOption())
    .action(async (options) => finish(await (await import("../commands/status.ts")).status(options, terminal)));

  program
    .command("init")
    .description("create the project's configuration")
    .option("-f, --force", "replace an existing configuration")
    .addOption(
      new Option("--storage <mode>", "keep fetched resources in ./.citewell, or in the shared directory").choices([
        "local",
        "global",
      ]),
    )
    .option("--no-gitignore", "do not add .citewell/ to .gitignore")
    .action(async (options) => finish(await (await import("../commands/init.ts")).init(options, terminal)));

  program
    .command("wipe")
    .description("delete the project's and the global configuration file; keys and downloaded copies stay")
    .option("-y, --yes", "do not ask first")
    .option("--dry-run", "only show what would be deleted")
    .action(async (options) => finish(await (await import("../commands/wipe.ts")).wipe(options, terminal)));

  program
    .command("connect")
    .description("choose the provider and model that answer questions")
    .option("-g, --global", "write the global configuration, also where there is a project configuration")
    .option("-p, --provider <id>", "the provider")
    .option("-m, --model <id>", "the model, as the provider calls it")
    .option("--list", "only list the providers, or with -p its models")
    .option("--base-url <url>", "for openai-compat: the server's URL")
    .option("--name <name>", "for openai-compat: the server's name")
    .addOption(new Option("--key-stdin", "read the key from standard input").conflicts("keyFile"))
    .option("--key-file <path>", "read the key from a file")
    .option("--client-id <id>", 'sign in with your own OAuth client from now on; "" removes it')
    .option("--client-secret-file <path>", "read that client's secret from a file, if the provider requires one")
    .action(async (options) => finish(await (await import("../commands/connect.ts")).connect(options, terminal)));

  program
    .command("disconnect")
    .description("forget the key or sign-in of a provider")
    .option("-p, --provider <id>", "the provider")
    .action(async (options) => finish(await (await import("../commands/disconnect.ts")).disconnect(options, terminal)));
}
