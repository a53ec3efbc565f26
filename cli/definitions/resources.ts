import { Option } from "commander";
import { kindNames } from "../../server/protocol/kinds/names.ts";
import type { Definition } from "./definition.ts";
import { collect, portOption, serverOption } from "./global-options.ts";

/** What can be asked: kept, listed, and given up. */
export function defineResourceCommands({ program, terminal, finish }: Definition): void {
  program
    .command("add")
    .description("add a git repository, a local folder, or a package")
    .argument("[url-or-path]", "an HTTPS URL, a folder, a package name or npm:<package>[@version]")
    .option("-g, --global", "write the global configuration, where there is no project configuration")
    .option("-n, --name <name>", "the resource's name; by default derived from the reference")
    .option("-b, --branch <branch>", "the branch, tag or full commit id of a git repository (default: main)")
    .option("-s, --search-path <path>", "read only below this path of a git repository; repeatable", collect, [])
    .option("--notes <text>", "notes for the model")
    .addOption(new Option("-t, --type <type>", "the kind of resource, if it cannot be detected").choices(kindNames))
    .addOption(serverOption())
    .action(async (reference, options) =>
      finish(await (await import("../commands/add.ts")).add(reference, options, terminal)),
    );

  program
    .command("resources")
    .description("list the configured resources and their state on disk")
    .addOption(serverOption())
    .addOption(portOption())
    .action(async (options) => finish(await (await import("../commands/resources.ts")).resources(options, terminal)));

  program
    .command("refresh")
    .description("fetch the newest revision of resources, whatever their refresh policy")
    .argument("[name...]", "which; without names all of them")
    .action(async (names, options) =>
      finish(await (await import("../commands/refresh.ts")).refresh(names, options, terminal)),
    );

  program
    .command("remove")
    .description("remove a resource from the configuration")
    .argument("[name]", "the resource's name")
    .option("-g, --global", "remove it from the global configuration")
    .option("--dry-run", "only show what would be removed, and from where")
    .addOption(serverOption())
    .action(async (name, options) =>
      finish(await (await import("../commands/remove.ts")).remove(name, options, terminal)),
    );

  program
    .command("clear")
    .description("delete downloaded copies of resources; your resource list stays")
    .option("-y, --yes", "do not ask first; only a terminal is asked")
    .option("--dry-run", "only show what would be deleted")
    .addOption(serverOption())
    .addOption(portOption())
    .action(async (options) => finish(await (await import("../commands/clear.ts")).clear(options, terminal)));

  program
    .command("reference")
    .description("clone a repository into ./references, to read beside your own code")
    .argument("<url>", "the repository's HTTPS URL")
    .action(async (url, options) =>
      finish(await (await import("../commands/reference.ts")).reference(url, options, terminal)),
    );

  program
    .command("deps")
    .description("add this workspace's dependencies at their installed, locked or pinned versions")
    .argument("[names...]", "the dependencies; prompts if omitted")
    .option("--all", "add all that are not configured yet")
    .option("-y, --yes", "the same as --all")
    .action(async (names, options) =>
      finish(await (await import("../commands/deps.ts")).deps(names, options, terminal)),
    );
}
