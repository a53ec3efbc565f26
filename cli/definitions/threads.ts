import { Argument } from "commander";
import type { Definition } from "./definition.ts";
import { answerOptions, portOption, screenOptions, serverOption } from "./global-options.ts";

/** What can be done with the conversations that are kept. */
const threadActions = ["list", "show", "resume", "delete", "export"] as const;
/** One of `threadActions`. */
export type ThreadAction = (typeof threadActions)[number];

/** Conversations: held at the terminal, kept, and looked at again. */
export function defineThreadCommands({ program, terminal, finish }: Definition): void {
  const repl = program
    .command("repl")
    .description("start a conversation; runs if you give no command at a terminal")
    .option("--provider <id>", "the provider to ask, instead of the configured one")
    .option("--model <id>", "the model to ask, instead of the configured one")
    .addOption(serverOption())
    .addOption(portOption())
    .action(async (options) => finish(await (await import("../commands/converse.ts")).converse(options, terminal)));
  for (const option of [...screenOptions(), ...answerOptions()]) repl.addOption(option);

  const threads = program
    .command("threads")
    .description("list saved conversations (threads); show, resume, delete or export one")
    .addArgument(new Argument("[action]", "what to do").choices(threadActions).default("list"))
    .argument("[id]", "the thread's id, or at least its first 4 characters")
    .option("-y, --yes", "delete without confirmation")
    .option("--dry-run", "only show what would be deleted")
    .option("--all", "list the conversations of other projects, too")
    .action(async (action, id, options) =>
      finish(await (await import("../commands/threads.ts")).threads(action, id, options, terminal)),
    );
  for (const option of screenOptions()) threads.addOption(option.hideHelp());

  program
    .command("recheck")
    .description("check the citations of saved answers again, without a model")
    .argument("[ids...]", "ids of threads; all threads of this project if omitted")
    .option("--all", "check the threads of other projects, too")
    .addHelpText(
      "after",
      `
Ends with 0 when every citation still holds, 4 when one changed or is gone, 7 when one could not be looked at.`,
    )
    .action(async (ids, options) =>
      finish(await (await import("../commands/recheck.ts")).recheck(ids, options, terminal)),
    );
}
