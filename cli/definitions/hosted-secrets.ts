import { Argument, type Command } from "commander";
import type { Definition } from "./definition.ts";

/** What can be done with tokens for git hosts. */
export const tokenActions = ["add", "replace", "list", "remove"] as const;
/** An action on tokens for git hosts. */
export type TokenAction = (typeof tokenActions)[number];

const webhookActions = ["create", "remove"] as const;
/** An action on the webhook of a project. */
export type WebhookAction = (typeof webhookActions)[number];

/** Commands for the secrets of the hosted service. */
export function defineSecretCommands(
  hosted: Command,
  { terminal, finish }: Pick<Definition, "terminal" | "finish">,
  { storeOptions, addressOption }: Record<"storeOptions" | "addressOption", (command: Command) => Command>,
): void {
  const load = () => import("../commands/hosted-secrets.ts");
  const token = hosted
    .command("token")
    .description("add, replace, list or remove a project's tokens for private repositories")
    .addArgument(new Argument("<action>", "what to do; the token is read from standard input").choices(tokenActions))
    .argument("[host]", "the git host, such as github.com, or github.com/acme for the repositories of one owner")
    .option("--project <name>", "the project, if there are several")
    .option("--name <name>", "a name for the token (default: the host)")
    .option("--username <name>", "a user name, if the host requires one with the token");
  storeOptions(token).action(async (action, host, options) =>
    finish(await (await load()).hostedToken(action, host, options, terminal)),
  );

  const webhook = hosted
    .command("webhook")
    .description("create the secret for a git host's webhook, or refuse pushes")
    .addArgument(new Argument("<action>", "what to do").choices(webhookActions))
    .option("--project <name>", "the project, if there are several");
  addressOption(storeOptions(webhook)).action(async (action, options) =>
    finish(await (await load()).hostedWebhook(action, options, terminal)),
  );

  const secrets = hosted
    .command("secrets")
    .description("encrypt all stored secrets with a new key")
    .addArgument(new Argument("<action>", "what to do").choices(["rotate"]));
  storeOptions(secrets).action(async (_action, options) =>
    finish(await (await load()).hostedSecrets(options, terminal)),
  );
}
