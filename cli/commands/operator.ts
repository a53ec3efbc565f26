import { CitewellError } from "../../server/errors.ts";
import { limitFields, limitNames } from "../../server/protocol/limit-fields.ts";
import type { HostKind } from "../../server/protocol/followed-accounts.ts";
import { hostKinds } from "../../server/protocol/host-kinds.ts";
import type { ApiKey, KeyScope } from "../../server/protocol/api-keys.ts";
import {
  type AdminInput,
  type AdminName,
  type AdminOutput,
  type FollowedListing,
  formatGitPlace,
  type GitToken,
  type LimitReport,
  type ProjectLimits,
  stricterLimits,
} from "../../server/protocol/hosted.ts";
import { limitOption, type OperatorCommand, operatorCommands } from "../definitions/operator-commands.ts";
import { openPrompts } from "../input/prompts.ts";
import { readAllInput } from "../input/standard-input.ts";
import { exitCodes } from "../output/exit-codes.ts";
import { jsonText } from "../output/json.ts";
import { formatTable } from "../render/table.ts";
import { type Terminal, write } from "../terminal.ts";
import { type AddressOptions, describeAddress, readPublicUrl, withAddress } from "./hosted-address.ts";
import { openAdmin, type StoreOptions } from "./hosted.ts";

/** What the operator typed after a command. */
export interface Typed extends StoreOptions, AddressOptions {
  /** The argument behind the action. */
  subject?: string | undefined;
  project?: string;
  scope?: KeyScope[];
  resource?: string[];
  days?: number;
  overlapDays?: number;
  name?: string;
  username?: string;
  kind?: HostKind;
  group?: string;
  include?: string[];
  exclude?: string[];
  archived?: boolean;
  forks?: boolean;
  maxMb?: number;
  limited?: boolean;
  removeResources?: boolean;
}

type MethodOf<Command extends OperatorCommand> = (typeof operatorCommands)[Command];

/** How a command calls its method, and what it shows of the output. */
interface Row<Method extends AdminName> {
  /** Runs before the database is opened: only one process at a time can use an embedded one. */
  input(typed: Typed, terminal: Terminal): AdminInput<Method> | Promise<AdminInput<Method>>;
  /** Adds the address that the operator gave. */
  locate?(output: AdminOutput<Method>, publicUrl: string | undefined): AdminOutput<Method>;
  /** Above the output, for a person: on standard error, because programs read the output. */
  note?(output: AdminOutput<Method>): string;
  show(output: AdminOutput<Method>): string;
}

const ofProject = ({ project }: Typed) => ({ project });
const onlyNow = "shown only now:\n";

const rows: { readonly [Command in OperatorCommand]: Row<MethodOf<Command>> } = {
  "key create": {
    input: ({ project, subject, scope = [], resource = [], days }) => ({
      project,
      name: required(subject, "create"),
      scopes: scope.length === 0 ? ["ask", "read"] : scope,
      resources: resource.length === 0 ? null : resource,
      days,
    }),
    note({ listing: { name, scopes, resources }, project }) {
      const rights = scopes.join(", ") + (resources === null ? "" : `; only ${resources.join(", ")}`);
      return `Key "${name}" of project ${project} (${rights}); ${onlyNow}`;
    },
    show: ({ key }) => `${key}\n`,
  },
  "key list": { input: ofProject, show: ({ keys }) => formatTable(keys.map(keyRow)) },
  "key rotate": {
    input: ({ project, subject, overlapDays }) => ({ project, key: required(subject, "rotate"), overlapDays }),
    note: ({ listing, project }) => `Replacement for the key "${listing.name}" of project ${project}; ${onlyNow}`,
    show: ({ key }) => `${key}\n`,
  },
  "key revoke": {
    input: ({ project, subject }) => ({ project, key: required(subject, "revoke") }),
    show: ({ name }) => `revoked ${name}\n`,
  },
  "owner-link": {
    input: ofProject,
    locate: withAddress,
    note: ({ project }) => `Open this link within 15 minutes to become an owner of ${project}:\n`,
    show: (link) => `${describeAddress(link)}\n`,
  },
  "password-link": {
    input: ({ subject = "" }) => ({ email: subject }),
    locate: withAddress,
    note: ({ email }) => `Send this link to ${email}. It sets a new password, once, within 15 minutes:\n`,
    show: (link) => `${describeAddress(link)}\n`,
  },
  "project create": {
    input: ({ subject }) => ({ name: required(subject, "create") }),
    show: ({ name }) => `created ${name}\n`,
  },
  "project list": {
    input: () => ({}),
    show: ({ projects }) => formatTable(projects.map(({ name, createdAt }) => [name, createdAt])),
  },
  "project limits": {
    input: ({ subject, ...typed }) => ({ project: subject, limits: limitsOf({ ...typed }) }),
    show: (report) => formatTable(limitRows(report)),
  },
  "token add": {
    async input(typed, terminal) {
      const host = requiredHost(typed.subject, "add");
      const { project, name = host, username } = typed;
      return { project, host, name, username, token: await readToken(host, typed, terminal) };
    },
    show: (token) => `added the token for ${formatGitPlace(token)}\n`,
  },
  "token replace": {
    async input(typed, terminal) {
      const host = requiredHost(typed.subject, "replace");
      return { project: typed.project, host, token: await readToken(host, typed, terminal) };
    },
    show: (token) => `replaced the token for ${formatGitPlace(token)}\n`,
  },
  "token list": { input: ofProject, show: ({ tokens }) => formatTable(tokens.map(tokenRow)) },
  "token remove": {
    input: ({ project, subject }) => ({ project, host: requiredHost(subject, "remove") }),
    show: (token) => `removed the token for ${formatGitPlace(token)}\n`,
  },
  "follow add": {
    input: ({ project, subject, kind, group, include = [], exclude = [], archived, forks, maxMb, limited }) => {
      const place = requiredPlace(subject, "add");
      return {
        project,
        place,
        kind: kind ?? kindOfHost(place),
        group,
        filters: {
          include,
          exclude,
          includesArchived: archived ?? false,
          includesForks: forks ?? false,
          maxMb: maxMb ?? null,
        },
        addsLimited: limited,
      };
    },
    show: (account) => `following ${formatAccount(account)} as @${account.group}\n`,
  },
  "follow list": { input: ofProject, show: ({ accounts }) => formatTable(accounts.map(followedRow)) },
  "follow run": {
    input: ({ project, subject }) => ({ project, place: requiredPlace(subject, "run") }),
    show: (account) => `listing ${formatAccount(account)} now, and fetching again what failed\n`,
  },
  "follow stop": {
    input: ({ project, subject, removeResources }) => ({
      project,
      place: requiredPlace(subject, "stop"),
      removesResources: removeResources,
    }),
    show: (account) => `${formatAccount(account)} is not followed any more\n`,
  },
  "webhook create": {
    input: ofProject,
    locate: withAddress,
    note: (created) => `Address for the git host: ${describeAddress(created)}\nIts secret, which is shown only now:\n`,
    show: ({ secret }) => `${secret}\n`,
  },
  "webhook remove": { input: ofProject, show: ({ project }) => `removed the webhook of ${project}\n` },
  "secrets rotate": {
    input: () => ({}),
    show: ({ resealed, keyVersion }) =>
      `encrypted ${resealed} ${resealed === 1 ? "secret" : "secrets"} with the key ${keyVersion}; no other key is needed\n`,
  },
};

/** Runs a command of the operator: in the running service, which may be using the database, or over the database itself. */
export async function operate(command: OperatorCommand, typed: Typed, terminal: Terminal): Promise<number> {
  const { json, quiet } = typed;
  const { output, note, text } = await call(command, typed, terminal);
  if (note !== undefined && json !== true && quiet !== true) await write(terminal.stderr, note);
  await write(terminal.stdout, json === true ? jsonText(output) : text);
  return exitCodes.ok;
}

async function call<Command extends OperatorCommand>(command: Command, typed: Typed, terminal: Terminal) {
  const { input, locate = (output) => output, note, show } = rows[command];
  const method: MethodOf<Command> = operatorCommands[command];
  const publicUrl = readPublicUrl(typed);
  const read = await input(typed, terminal);
  await using admin = await openAdmin(typed, terminal);
  const output = locate(await admin.call(method, read), publicUrl);
  return { output, note: note?.(output), text: show(output) };
}

function limitsOf(typed: Readonly<Record<string, unknown>>): Partial<ProjectLimits> {
  const given = limitNames.map((name) => [name, typed[limitOption(name)]] as const);
  return Object.fromEntries(
    given.flatMap(([name, limit]) => (limit === undefined ? [] : [[name, limit === "none" ? null : limit]])),
  );
}

function limitRows({ limits, ownLimits, usage }: LimitReport): string[][] {
  const applied = stricterLimits(limits, ownLimits);
  return limitNames.map((name) => {
    const { counted, isMonthly } = limitFields[name];
    const limit = applied[name];
    const text = limit === null ? "no limit" : `of ${limit}`;
    return [
      isMonthly === true ? `${counted} in ${usage.month}` : counted,
      String(name === "diskGb" ? Number(usage.diskGb.toFixed(3)) : usage[name]),
      limit === limits[name] ? text : `${text}, set by an owner`,
    ];
  });
}

function keyRow({ name, member, hint, scopes, resources, expiresAt, revokedAt, lastUsedAt, id }: ApiKey): string[] {
  const state = revokedAt !== null ? "revoked" : expiresAt === null ? "no expiry" : `expires ${expiresAt}`;
  const use = lastUsedAt === null ? "never used" : `used ${lastUsedAt}`;
  const whose = member === null ? name : `${name} of ${member}`;
  return [whose, `${hint}…`, scopes.join(","), resources?.join(",") ?? "all resources", state, use, id];
}

function formatAccount({ host, account }: FollowedListing): string {
  return `${host}/${account}`;
}

function followedRow(account: FollowedListing): string[] {
  const { group, resources, fetched, failed, held, heldRemovals, failure, failingSince, listedAt } = account;
  const counts = [
    `${fetched} of ${resources} fetched`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(held > 0 ? [`${held} wait for limits`] : []),
    ...(heldRemovals > 0 ? [`${heldRemovals} removals to confirm on the page`] : []),
  ];
  const listed = listedAt === null ? "not listed yet" : `listed ${listedAt}`;
  const state = failure === null ? listed : `failing since ${failingSince}: ${failure}`;
  return [formatAccount(account), `@${group}`, counts.join(", "), state];
}

/** The kind of the public hosts; of others it is not known by the name. */
function kindOfHost(place: string): HostKind {
  const host = /^(?:https:\/\/)?([^/]+)/i.exec(place)?.[1]?.toLowerCase() ?? "";
  const known: Readonly<Record<string, HostKind>> = {
    "github.com": "github",
    "gitlab.com": "gitlab",
    "codeberg.org": "gitea",
    "gitea.com": "gitea",
    "bitbucket.org": "bitbucket",
  };
  const kind = known[host];
  if (kind !== undefined) return kind;
  throw new CitewellError("InvalidUsage", `the kind of ${host} is not known by its name`, {
    hint: `name it with --kind: ${hostKinds.join(", ")}`,
  });
}

function requiredPlace(subject: string | undefined, action: string): string {
  if (subject !== undefined) return subject;
  throw new CitewellError("InvalidUsage", `follow ${action} needs an account`, {
    hint: `citewell hosted follow ${action} github.com/acme`,
  });
}

function tokenRow(token: GitToken): string[] {
  const { name, hint, failure, failingSince, lastUsedAt } = token;
  const state =
    failingSince === null ? (lastUsedAt === null ? "not used yet" : "works") : `failing since ${failingSince}`;
  return [
    formatGitPlace(token),
    name,
    hint === "" ? "" : `${hint}…`,
    state,
    lastUsedAt === null ? "never used" : `used ${lastUsedAt}`,
    failure ?? "",
  ];
}

function required(name: string | undefined, action: string): string {
  if (name !== undefined) return name;
  throw new CitewellError("InvalidUsage", `${action} needs a name`, { hint: "citewell hosted --help shows examples" });
}

function requiredHost(host: string | undefined, action: string): string {
  if (host !== undefined) return host;
  throw new CitewellError("InvalidUsage", `${action} needs a host`, {
    hint: `citewell hosted token ${action} github.com`,
  });
}

/** Holds the token where there is no standard input to read it from. */
const tokenVariable = "CITEWELL_GIT_TOKEN";
/** More is no token, in characters. */
const tokenLength = 10_000;

/** From the variable, a prompt or standard input, never from an argument: every user of the computer could read it there. */
async function readToken(host: string, options: StoreOptions, terminal: Terminal): Promise<string> {
  const given = terminal.env[tokenVariable]?.trim() ?? "";
  if (given !== "") return given;
  const missing = new CitewellError("InvalidUsage", "there is no token", {
    hint: `send it to standard input, or set ${tokenVariable}`,
  });
  if (terminal.stdin.isTTY) {
    const prompts = await openPrompts(terminal, options, missing);
    return prompts.secret(`The token for ${host}`);
  }
  const text = (await readAllInput(terminal, tokenLength)).trim();
  if (text === "") throw missing;
  return text;
}
