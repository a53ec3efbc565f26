import * as z from "zod";
import { ApiKey, KeyScope } from "./api-keys.ts";
import { MailForm } from "./hosted-accounts.ts";
import { FollowedAccount, FollowFilters, HostKind } from "./followed-accounts.ts";
import { ProgressEvent } from "./ask.ts";
import { GitResource } from "./kinds/git-fields.ts";
import { servedKinds, servedPackageTypes } from "./kinds/names.ts";
import { PackageVersion } from "./kinds/package.ts";
import { packageKinds } from "./kinds/packages.ts";
import { limitFields, type LimitName, mapLimits } from "./limit-fields.ts";
import { BranchList, ResourceListing } from "./resource.ts";
import { limits, ResourceName, textUpTo } from "./resource-fields.ts";

/** A team's project in the hosted service. */
export const Project = z.object({
  id: z.uuid(),
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, "a project's name has up to 63 lower-case letters, digits and hyphens"),
  createdAt: z.iso.datetime(),
});
export type Project = z.infer<typeof Project>;

/** An entry of a project's audit log. */
export const AuditEntry = z.object({
  at: z.iso.datetime(),
  actor: z.string().describe("`operator`, `key:<id>` or `account:<id>`."),
  action: z.string(),
  target: z.string(),
  detail: z.record(z.string(), z.unknown()),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

const packageExamples = servedPackageTypes.map((type) => `${packageKinds[type].example} (${type})`).join(", ");

/**
 * The input of the tool `addResource`; `ResourceSpec` says which fields each type needs. A service reads no folders.
 */
export const AddResource = z.object({
  type: z.enum(servedKinds),
  name: ResourceName,
  ...GitResource.omit({ type: true, name: true, refresh: true, searchPath: true }).partial().shape,
  package: textUpTo(limits.packageLength, `a package has at most ${limits.packageLength} characters`)
    .optional()
    .describe(`Of a package: ${packageExamples}.`),
  version: PackageVersion.optional().describe("A version, range or tag; default: the newest."),
});

const hostText = /^[^\s/@?#\\*]+$/;
const pathText = /^(?:[\w.~-]+(?:\/[\w.~-]+)*)?$/;

/**
 * A git host, or the repositories below a path on it: `github.com`, `git.example.com:8443`, `github.com/acme`. A
 * leading `https://` is ignored.
 */
export const GitPlace = z
  .string()
  .trim()
  .transform((text) => text.replace(/^https:\/\//i, "").replace(/\/+$/, ""))
  .transform((text) => ({ host: text.split("/")[0] ?? "", path: text.split("/").slice(1).join("/") }))
  .refine(
    ({ host, path }) => hostText.test(host) && URL.canParse(`https://${host}`) && pathText.test(path),
    "a git host, such as github.com, or an owner there, such as github.com/acme",
  )
  .transform(({ host, path }) => ({ host: new URL(`https://${host}`).host, path: path.replace(/\.git$/, "") }))
  .refine(({ host, path }) => host.length + path.length <= 260, "a host and its path have at most 260 characters");

/** The inverse of `GitPlace`. */
export function formatGitPlace({ host, path }: { host: string; path: string }): string {
  return path === "" ? host : `${host}/${path}`;
}

/** A project's token for a git host as it is listed: the token itself is never shown. */
export const GitToken = z.object({
  id: z.uuid(),
  host: z.string(),
  path: z.string().describe("Of the repositories that it is for, as `acme`; empty for all others of the host."),
  name: z.string().trim().min(1, "a token needs a name").max(100, "a token's name has at most 100 characters"),
  username: z
    .string()
    .trim()
    .regex(/^[\x21-\x39\x3b-\x7e]*$/, "a user name without spaces and colons")
    .max(200, "a user name has at most 200 characters"),
  hint: z.string().describe("The token's first characters; empty for a short one."),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().nullable(),
  failure: z.string().nullable().describe("Why the host refused it the last time."),
  failingSince: z.iso.datetime().nullable(),
});
export type GitToken = z.infer<typeof GitToken>;

const TokenText = z
  .string()
  .trim()
  .min(1, "the token is missing")
  .max(4096, "a token has at most 4,096 characters")
  .regex(/^[\x21-\x7e]*$/, "a token has only ASCII characters and no spaces");

/** A new token for a git host. */
export const NewGitToken = z.object({
  host: GitPlace,
  name: GitToken.shape.name,
  username: GitToken.shape.username.default(""),
  token: TokenText,
});

/** What replaces a token. */
export const GitTokenReplacement = NewGitToken.pick({ token: true });

/** A GitHub account whose repositories a project reads through the operator's GitHub App. */
export const GitHubAccount = z.object({
  id: z.uuid(),
  host: z.string(),
  account: z.string(),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().nullable(),
  failure: z.string().nullable().describe("Why GitHub gave no token the last time."),
  failingSince: z.iso.datetime().nullable(),
});
export type GitHubAccount = z.infer<typeof GitHubAccount>;

/** The webhook of a project. */
export const Webhook = z.object({ createdAt: z.iso.datetime(), lastReceivedAt: z.iso.datetime().nullable() });
export type Webhook = z.infer<typeof Webhook>;

/** A webhook's new secret. It is shown here and never again. */
export const NewWebhook = z.object({
  secret: z.string(),
  path: z.string().describe("That git hosts send pushes to, below the address of the service."),
  url: z.string().optional().describe("The whole address, if it is known."),
  project: Project.shape.name,
});
export type NewWebhook = z.infer<typeof NewWebhook>;

/** What a rotation of the key of secrets did. */
export const SecretsRotation = z.object({
  resealed: z.int().describe("How many secrets were sealed again."),
  keyVersion: z.string().describe("The name of the key that opens them."),
});
export type SecretsRotation = z.infer<typeof SecretsRotation>;

/** The progress of a running fetch. */
export const FetchProgress = ProgressEvent.pick({ phase: true, fraction: true, message: true });
export type FetchProgress = z.infer<typeof FetchProgress>;

/** The fetch of a resource, which runs in the background. */
export const FetchState = z.object({
  state: z
    .enum(["waiting", "running", "ready", "failed"])
    .describe("`failed`: what was fetched before stays, and questions are answered from it."),
  since: z.iso.datetime().nullable().describe("Since when; of failures in a row, the time of the first."),
  failure: z.string().nullable().describe("Why the last fetch failed."),
  nextTryAt: z.iso
    .datetime()
    .nullable()
    .describe("When a failed fetch is tried again; null if only `sync` or the daily fetch does."),
  needsToken: z
    .string()
    .nullable()
    .describe("The git host for which the project may need a token: the repository was not found without one."),
  progress: FetchProgress.nullable().describe("The progress of a running fetch, if known."),
});
export type FetchState = z.infer<typeof FetchState>;

/** A resource as the hosted service lists it. */
export const HostedResource = ResourceListing.extend({ fetch: FetchState });
export type HostedResource = z.infer<typeof HostedResource>;

/** A resource that this version of the service cannot use: another version stored it. */
export const UnreadableResource = z.object({ name: z.string(), type: z.string(), reason: z.string() });
export type UnreadableResource = z.infer<typeof UnreadableResource>;

/** The result of the tools `listResources` and `sync`. */
export const HostedResourceList = z.object({
  resources: z.array(HostedResource),
  unreadable: z
    .array(UnreadableResource)
    .optional()
    .describe("Resources that another version of the service stored, and why this one cannot use them."),
  groups: z
    .array(z.object({ name: z.string().describe("As `@backend`."), resources: z.int() }))
    .optional()
    .describe("Names that stand for several resources, and for how many."),
});

/** The input of the tool `sync`. */
export const Sync = z.object({
  resource: z
    .string()
    .min(1)
    .max(limits.pathLength)
    .optional()
    .describe("Its name, or a group (@backend); without one, all resources are fetched."),
});

/** The input of the tool `listRevisions`. */
export const ListRevisions = z.object({
  resource: ResourceName.describe("A repository, by its name."),
  filter: z.string().max(limits.branchLength).optional().describe("Only names that contain this."),
});

/** The result of the tool `listRevisions`: how a repository can be named behind `@`. */
export const RevisionList = BranchList.extend({
  omitted: z.int().min(1).optional().describe("More that are not listed: a filter finds them."),
});

/** A new API key. `key` is shown here and never again. */
export const NewKey = z.object({ key: z.string(), listing: ApiKey, project: Project.shape.name });
export type NewKey = z.infer<typeof NewKey>;

/** What to paste into the settings of a client, so that it uses a key. */
export const ClientSnippet = z.object({ client: z.string(), file: z.string(), text: z.string() });
export type ClientSnippet = z.infer<typeof ClientSnippet>;

/** A link that makes its first visitor an owner of a project. */
export const OwnerLink = z.object({
  project: Project.shape.name,
  path: z.string().describe("To open below the address of the service."),
  url: z.string().optional().describe("The whole address, if it is known."),
  expiresAt: z.iso.datetime(),
});
export type OwnerLink = z.infer<typeof OwnerLink>;

/** A link that sets a new password of an account. */
export const PasswordLink = OwnerLink.omit({ project: true }).extend({ email: z.string() });
export type PasswordLink = z.infer<typeof PasswordLink>;

/** What `citewell hosted move` copied. */
export const MoveReport = z.object({
  tables: z
    .array(z.object({ table: z.string(), rows: z.int().nonnegative() }))
    .describe("Each was compared row by row."),
});
export type MoveReport = z.infer<typeof MoveReport>;

function limitOf(name: LimitName): z.ZodNumber {
  const number: z.ZodNumber = limitFields[name].isFraction === true ? z.number() : z.int();
  return number.min(0, "a limit is at least 0");
}

/** What a project may use; null is no limit. */
export const ProjectLimits = z.object(
  mapLimits((name) => {
    const { meaning } = limitFields[name];
    return limitOf(name)
      .nullable()
      .describe(`${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}.`);
  }),
);
export type ProjectLimits = z.infer<typeof ProjectLimits>;

/** What a project uses now, and has used this month. */
export const ProjectUsage = z.object({
  month: z.string().describe("As `2026-11`."),
  running: z.number(),
  questions: z.number(),
  tokens: z.number(),
  costUsd: z.number(),
  resources: z.number(),
  fetches: z.number().describe("In this hour."),
  diskGb: z.number().describe("Of the last snapshots of its resources, without indexes."),
});
export type ProjectUsage = z.infer<typeof ProjectUsage>;

/** The stricter limits of two sets. */
export function stricterLimits(a: ProjectLimits, b: ProjectLimits): ProjectLimits {
  return mapLimits((name) => {
    const given = [a[name], b[name]].filter((limit) => limit !== null);
    return given.length === 0 ? null : Math.min(...given);
  });
}

const emptyField = z.literal("").transform(() => null);

/** Limits as the web page's form has them: an empty field is none. */
export const LimitsForm = z.object(
  mapLimits((name) => {
    const words = limitFields[name].isFraction === true ? "a number" : "a whole number";
    const number = z.coerce.number<string>().pipe(limitOf(name));
    return z.union([emptyField, number], `${words}, or nothing for no limit`);
  }),
);

/** The limits of a project, and what is used of them. */
export const LimitReport = z.object({
  project: Project.shape.name,
  limits: ProjectLimits.describe("The operator's."),
  ownLimits: ProjectLimits.describe("Those that the project's owners set. The stricter of both applies."),
  usage: ProjectUsage,
});
export type LimitReport = z.infer<typeof LimitReport>;

/** A followed account as the operator sees it, with how far the fetches of its resources are. */
export const FollowedListing = FollowedAccount.omit({ lastRun: true }).extend({
  resources: z.int(),
  fetched: z.int(),
  failed: z.int(),
  held: z.int().describe("Fetches that wait for a limit of the project."),
  heldRemovals: z.int().describe("Resources that the host no longer lists, until an admin confirms their removal."),
});
export type FollowedListing = z.infer<typeof FollowedListing>;

/** The project that a method is about. */
export const ProjectChoice = z.object({
  project: z.string().optional().describe("A project's name; without it, the only project."),
});

/** What the operator can do, in process or through the running service. */
export const adminMethods = {
  createProject: { input: z.object({ name: z.string() }), output: Project },
  listProjects: { input: z.object({}), output: z.object({ projects: z.array(Project) }) },
  createKey: {
    input: ProjectChoice.extend({
      name: z.string(),
      scopes: z.array(KeyScope),
      resources: z.array(z.string()).nullable().optional().describe("Null or absent: all."),
      days: z.number().optional(),
    }),
    output: NewKey,
  },
  listKeys: { input: ProjectChoice, output: z.object({ keys: z.array(ApiKey) }) },
  rotateKey: {
    input: ProjectChoice.extend({
      key: z.string().describe("Its id or name."),
      overlapDays: z
        .number()
        .min(0, "the overlap has at least 0 days")
        .max(365, "the overlap has at most 365 days")
        .optional()
        .describe("How long the old key still works; one day by default."),
    }),
    output: NewKey,
  },
  revokeKey: { input: ProjectChoice.extend({ key: z.string().describe("Its id or name.") }), output: ApiKey },
  setLimits: { input: ProjectChoice.extend({ limits: ProjectLimits.partial() }), output: LimitReport },
  createOwnerLink: { input: ProjectChoice, output: OwnerLink },
  createPasswordLink: { input: MailForm, output: PasswordLink },
  addGitToken: {
    input: ProjectChoice.extend({
      host: z.string(),
      name: z.string(),
      username: z.string().optional(),
      token: z.string(),
    }),
    output: GitToken,
  },
  replaceGitToken: { input: ProjectChoice.extend({ host: z.string(), token: z.string() }), output: GitToken },
  listGitTokens: { input: ProjectChoice, output: z.object({ tokens: z.array(GitToken) }) },
  removeGitToken: { input: ProjectChoice.extend({ host: z.string() }), output: GitToken },
  followAccount: {
    input: ProjectChoice.extend({
      kind: HostKind,
      place: z.string().describe("As `github.com/acme`."),
      group: z.string().optional(),
      filters: FollowFilters,
      addsLimited: z.boolean().optional(),
    }),
    output: FollowedListing,
  },
  listFollowed: { input: ProjectChoice, output: z.object({ accounts: z.array(FollowedListing) }) },
  runFollowed: { input: ProjectChoice.extend({ place: z.string() }), output: FollowedListing },
  unfollowAccount: {
    input: ProjectChoice.extend({ place: z.string(), removesResources: z.boolean().optional() }),
    output: FollowedListing,
  },
  createWebhook: { input: ProjectChoice, output: NewWebhook },
  removeWebhook: { input: ProjectChoice, output: z.object({ project: Project.shape.name }) },
  rotateSecrets: { input: z.object({}), output: SecretsRotation },
} as const;

type AdminMethods = typeof adminMethods;
/** The name of a method of the operator. */
export type AdminName = keyof AdminMethods;
export type AdminInput<Name extends AdminName> = z.output<AdminMethods[Name]["input"]>;
export type AdminOutput<Name extends AdminName> = z.output<AdminMethods[Name]["output"]>;
/** The names of the operator's methods. */
export const adminNames: readonly AdminName[] = Object.keys(adminMethods).filter(isAdminName);

/** Calls a method of the operator, in process or through the running service. */
export type Admin = <Name extends AdminName>(method: Name, input: AdminInput<Name>) => Promise<AdminOutput<Name>>;

function isAdminName(name: string): name is AdminName {
  return Object.hasOwn(adminMethods, name);
}
