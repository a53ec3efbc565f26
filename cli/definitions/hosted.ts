import { isIP } from "node:net";
import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import { hostKinds } from "../../server/protocol/host-kinds.ts";
import { packageTypeOf, servedPackageTypes, type ServedPackageType } from "../../server/protocol/kinds/names.ts";
import { limitFields, limitNames } from "../../server/protocol/limit-fields.ts";
import type { Typed } from "../commands/operator.ts";
import type { Definition } from "./definition.ts";
import { collect, collectChoice, parseCount, parseCountOrNone, parsePort } from "./global-options.ts";
import { actionsOf, isOperatorCommand } from "./operator-commands.ts";

/** What a process of the service does. */
export const nodeRoles = ["web", "worker", "both"] as const;

type Registries = Partial<Record<ServedPackageType, string>>;

const scopes = ["ask", "read", "manage"];

/** The service for a team. Its code and its database are loaded only when it is used. */
export function defineHostedCommands({ program, terminal, finish }: Definition): void {
  const load = () => import("../commands/hosted.ts");
  const hosted = program
    .command("hosted")
    .description("run a server for a team: agents connect over HTTP (MCP) with API keys, people use web pages");
  hosted.createOption = serviceOption;
  hosted
    .option("-p, --port <port>", "the port to listen on; 0 picks a free one", parsePort, 8484)
    .option("--host <address>", "the address to listen on; 0.0.0.0 for all", "127.0.0.1")
    .option("--model <provider/model>", "the model for questions, with your key; default: extracts without a model")
    .option("--calls-per-minute <number>", "calls allowed for each key and each account", parseCount, 120)
    .option(
      "--deadline <seconds>",
      "the number of seconds after which a question returns its partial answer",
      parseCount,
      50,
    )
    .addOption(
      serviceOption(
        "--role <role>",
        "answer calls (web), fetch resources (worker), or both; web and worker need PostgreSQL",
      )
        .choices(nodeRoles)
        .default("both"),
    )
    .option(
      "--notice <seconds>",
      "how long to accept calls after SIGTERM, while /readyz is 503 (default: 5, or 0 with the embedded database)",
      parseCountOrNone,
    )
    .option(
      "--grace <seconds>",
      "how long running questions may then take (default: --deadline and 5)",
      parseCountOrNone,
    )
    .option("--shared <place>", "a folder that all nodes mount, or s3://bucket/prefix, to share what workers fetch")
    .option(
      "--node-url <url>",
      "the address at which other nodes reach this one; calls are passed to the node that has the resource",
    )
    .option(
      "--cache-size <gb>",
      "the maximum size of public snapshots on this node, in GB; the least recently used are removed",
      parseCount,
    )
    .option("--resource-size <gb>", "the maximum size of one resource on disk, in GB", parseCount, 10)
    .option("--metrics-port <port>", "serve /metrics for Prometheus on this port; 0 picks a free one", parsePort)
    .option("--metrics-host <address>", "the address of that port", "127.0.0.1")
    .addOption(
      serviceOption(
        "--registry <type=url>",
        `a package registry to use instead of the public one, for ${servedPackageTypes.join(", ")} (repeatable)`,
      )
        .argParser(collectRegistry)
        .default({}),
    )
    .addOption(
      serviceOption("--trusted-proxy <address>", "a reverse proxy whose X-Forwarded headers are trusted (repeatable)")
        .argParser(collectAddress)
        .default([]),
    );
  githubOptions(mailOptions(singleSignOnOptions(storeOptions(hosted)))).action(async (options) =>
    finish(await (await load()).hosted(options, terminal)),
  );

  /** A command whose first argument says what to do. */
  const operator = (subject: string, description: string, action = "what to do") =>
    hosted
      .command(subject)
      .description(description)
      .addArgument(new Argument("<action>", action).choices(actionsOf(subject)));
  const forProject = (command: Command) => command.option("--project <name>", "the project, if there are several");
  const run = async (command: string, typed: Typed) => {
    if (!isOperatorCommand(command)) throw new RangeError(`no command ${command}`);
    const { operate } = await import("../commands/operator.ts");
    finish(await operate(command, typed, terminal));
  };

  forProject(operator("key", "create, list, rotate or revoke API keys of a project"))
    .argument("[name]", "the name of the key; to rotate or revoke it, its name or id")
    .addOption(
      new Option("--scope <scope>", "what the key may do (repeatable; default: ask, read)")
        .choices(scopes)
        .argParser(collectChoice(scopes))
        .default([]),
    )
    .option("--resource <name>", "a resource that the key may use (repeatable; default: all)", collect, [])
    .option("--days <number>", "the number of days until it expires", parseCount)
    .option("--overlap-days <number>", "the number of days a rotated key still works (default: 1)", parseDays)
    .action((action, subject, options) => run(`key ${action}`, { ...options, subject }));

  addressOption(forProject(hosted.command("owner-link")))
    .description("print a link, valid for 15 minutes, that makes its first visitor an owner of a project")
    .action((options) => run("owner-link", options));

  addressOption(hosted.command("password-link"))
    .description("print a link, valid for 15 minutes, that sets a new password for an account")
    .argument("<email>", "the e-mail address of the account")
    .action((subject, options) => run("password-link", { ...options, subject }));

  const project = operator("project", "create a project, list them, or show and set the limits of one").argument(
    "[name]",
    "the name of the project",
  );
  for (const name of limitNames) {
    const { flags, meaning } = limitFields[name];
    project.option(flags, name === limitNames[0] ? `${meaning}; none removes a limit` : meaning, parseLimit);
  }
  project.action((action, subject, options) => run(`project ${action}`, { ...options, subject }));

  forProject(
    operator(
      "token",
      "add, replace, list or remove a project's tokens for private repositories",
      "what to do; the token is read from standard input",
    ),
  )
    .argument("[host]", "the git host, such as github.com, or github.com/acme for the repositories of one owner")
    .option("--name <name>", "a name for the token (default: the host)")
    .option("--username <name>", "a user name, if the host requires one with the token")
    .action((action, subject, options) => run(`token ${action}`, { ...options, subject }));

  forProject(operator("follow", "follow all repositories of an organization or group, list those accounts, or stop"))
    .argument("[place]", "the account, such as github.com/acme")
    .addOption(new Option("--kind <kind>", "the kind of host (default: by its name)").choices(hostKinds))
    .option("--group <name>", "the name of the group of its resources (default: the last part of the account)")
    .option("--include <pattern>", "only these repositories (repeatable)", collect, [])
    .option("--exclude <pattern>", "not these repositories (repeatable)", collect, [])
    .option("--archived", "archived repositories, too")
    .option("--forks", "forks, too")
    .option("--max-mb <number>", "the largest repository in MB", parseCount)
    .option("--limited", "new resources are for owners and admins only")
    .option("--remove-resources", "with stop: remove the resources of the account")
    .action((action, subject, options) => run(`follow ${action}`, { ...options, subject }));

  addressOption(forProject(operator("webhook", "create the secret for a git host's webhook, or refuse pushes"))).action(
    (action, options) => run(`webhook ${action}`, options),
  );

  operator("secrets", "encrypt all stored secrets with a new key").action((action, options) =>
    run(`secrets ${action}`, options),
  );

  for (const command of hosted.commands) storeOptions(command);

  hosted
    .command("move")
    .description("copy the embedded database to an empty PostgreSQL database, and compare every row")
    .addOption(new Option("--to <url>", "postgres://…").env(databaseVariable))
    .addOption(new Option("--data <folder>", "where the embedded database is").env(dataVariable))
    .action(async (options) => finish(await (await load()).hostedMove(options, terminal)));
}

/** IP addresses, or networks as `10.0.0.0/8`; an environment variable has several, separated by commas. */
function collectAddress(value: string, earlier: string[]): string[] {
  const places = value.split(",").map((place) => place.trim());
  if (places.every((place) => isIP(place.split(/\/(?=\d{1,3}$)/)[0] ?? "") !== 0)) return [...earlier, ...places];
  throw new InvalidArgumentError("It must be an IP address or a network, such as 10.0.0.0/8.");
}

/** Registries by the type of their packages, `pypi=https://…`; a variable has several, separated by commas. */
function collectRegistry(value: string, earlier: Registries): Registries {
  const entries = value.split(",").map((entry) => {
    const [, prefix = "", url = ""] = /^([a-z]+)=(.+)$/.exec(entry.trim()) ?? [];
    const type = servedPackageTypes.find((one) => one === packageTypeOf(prefix));
    if (type === undefined || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
      const known = servedPackageTypes.join(", ");
      throw new InvalidArgumentError(`It must be a type (${known}) and an address, such as pypi=https://…/simple/.`);
    }
    const { username, password } = new URL(url);
    if (username !== "" || password !== "") {
      throw new InvalidArgumentError("The address must have no user name and password: packages are public here.");
    }
    return [type, url];
  });
  return { ...earlier, ...Object.fromEntries(entries) };
}

/** Domains, each the part of an address behind the @; a variable has several, separated by commas. */
function collectDomain(value: string, earlier: string[]): string[] {
  const domains = value.split(",").map((domain) => domain.trim().toLowerCase());
  if (domains.every((domain) => /^[^\s@/]+\.[^\s@/]+$/.test(domain))) return [...earlier, ...domains];
  throw new InvalidArgumentError("It must be a domain, such as example.com.");
}

const dataVariable = "CITEWELL_HOSTED_DATA";
const databaseVariable = "CITEWELL_DATABASE_URL";

/** An option that a variable sets as well: `--metrics-port` is `CITEWELL_HOSTED_METRICS_PORT`. */
function serviceOption(flags: string, description?: string): Option {
  const option = new Option(flags, description);
  return option.env(`CITEWELL_HOSTED_${option.name().replaceAll("-", "_").toUpperCase()}`);
}

function storeOptions(command: Command): Command {
  return command
    .addOption(new Option("--data <folder>", "the folder for the database and fetched resources").env(dataVariable))
    .addOption(new Option("--database <url>", "a PostgreSQL database, postgres://…").env(databaseVariable));
}

function addressOption(command: Command): Command {
  return command.addOption(
    new Option("--public-url <url>", "the address that people and agents use").env("CITEWELL_PUBLIC_URL"),
  );
}

function singleSignOnOptions(command: Command): Command {
  return addressOption(command)
    .addOption(
      new Option("--oidc-issuer <url>", "the team's sign-in provider, OpenID Connect").env("CITEWELL_OIDC_ISSUER"),
    )
    .addOption(
      new Option("--oidc-client-id <id>", "the client id of this service at the provider").env(
        "CITEWELL_OIDC_CLIENT_ID",
      ),
    )
    .addOption(
      new Option("--oidc-domain <domain>", "a domain whose verified addresses need no invitation (repeatable)")
        .env("CITEWELL_OIDC_DOMAIN")
        .argParser(collectDomain)
        .default([]),
    )
    .addOption(
      new Option("--oidc-project <name>", "the project that these people join, if there are several").env(
        "CITEWELL_OIDC_PROJECT",
      ),
    );
}

function mailOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--mail-url <url>", "the mail server for links to sign in, smtps://user:password@host").env(
        "CITEWELL_MAIL_URL",
      ),
    )
    .addOption(new Option("--mail-from <address>", "the sender of mails").env("CITEWELL_MAIL_FROM"));
}

function githubOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--github-app <name>", "your GitHub App for private repositories, as in its URL").env(
        "CITEWELL_GITHUB_APP",
      ),
    )
    .addOption(
      new Option("--github-client-id <id>", "the client id of the GitHub App").env("CITEWELL_GITHUB_CLIENT_ID"),
    )
    .addOption(new Option("--github-key <file>", "the private key of the GitHub App").env("CITEWELL_GITHUB_KEY"))
    .addOption(
      new Option("--github-api <url>", "for GitHub Enterprise Server, https://host/api/v3")
        .env("CITEWELL_GITHUB_API")
        .default("https://api.github.com"),
    );
}

function parseLimit(text: string): number | "none" {
  if (text === "none") return text;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new InvalidArgumentError("expected a number, or none");
}

function parseDays(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new InvalidArgumentError("expected a number of days");
}
