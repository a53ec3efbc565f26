import * as z from "zod";

/** The limits of spec/service.md, "Limits". Lengths are UTF-16 units (spec/wire.md). */
export const limits = {
  nameLength: 64,
  branchLength: 128,
  searchPathLength: 256,
  notesLength: 500,
  questionLength: 100_000,
  resourcesPerRequest: 20,
  /** npm's own limit: https://docs.npmjs.com/cli/configuring-npm/package-json#name */
  packageLength: 214,
  versionLength: 128,
  urlLength: 2048,
  pathLength: 4096,
} as const;

const controlCharacter = /\p{Cc}/u;
const namePattern = /^@?[a-zA-Z0-9][a-zA-Z0-9._-]*(\/[a-zA-Z0-9][a-zA-Z0-9._-]*)*$/;
const branchPattern = /^[a-zA-Z0-9/_.-]+$/;
/**
 * JSON schemas do not have refinements. So each rule is repeated in the `pattern` that they get, one for each schema:
 * zod would write several as `allOf`, which not every reader of tool schemas understands. This one is
 * `controlCharacter` for validators without Unicode properties.
 */
const withoutControls = "^[^\\u0000-\\u001f\\u007f-\\u009f]*$";
/** What `gitUrlFault` refuses, as far as a pattern can say it: another scheme, credentials, no host, no path. */
const gitUrlPattern = "^[Hh][Tt][Tt][Pp][Ss]://[^/?#@\\s]+/[^?#\\s]\\S*$";
/** npm's grammar, older names with capitals included: a dot or underscore never starts a name. */
const packagePattern = /^(?:@[a-zA-Z0-9~-][\w.~-]*\/)?[a-zA-Z0-9~-][\w.~-]*$/;

/** A text of at most so many UTF-16 units. zod counts code points, as JSON Schema does: its own rule is for the schema. */
export function textUpTo(limit: number, message: string) {
  return z
    .string()
    .max(limit, { error: message, abort: true })
    .refine((text) => text.length <= limit, message);
}

/** What a request may be asked of; `request` is a word for it. */
export function resourceRefs(request: string) {
  return z
    .array(z.string().min(1, "a resource must not be empty").max(limits.pathLength))
    .max(limits.resourcesPerRequest, `at most ${limits.resourcesPerRequest} resources in one ${request}`)
    .describe(
      "Configured names, https git URLs, packages (`npm:zod`, `npm:zod@4.1.0`), and absolute paths of folders. " +
        "None given means what `scope` says.",
    );
}

/** What a request that names no resource is about (spec/wire.md, "The open project"). */
export const Scope = z
  .enum(["project", "configured"])
  .describe(
    "For a request that names no resource. `project`: the open project and what a configuration file lists, or all " +
      "configured resources where no project is open. `configured`: all configured resources. Over HTTP `configured` " +
      "is the default, elsewhere `project`.",
  );
export type Scope = z.infer<typeof Scope>;

/** A resource that could not be opened and was skipped, and why. */
export const Unavailable = z
  .object({ resource: z.string(), tag: z.string(), error: z.string() })
  .meta({ id: "Unavailable" });
export type Unavailable = z.infer<typeof Unavailable>;

export const ResourceName = textUpTo(limits.nameLength, `a name has at most ${limits.nameLength} characters`)
  .regex(namePattern, "a name starts with a letter or digit and holds letters, digits, '.', '_', '-' and single '/'")
  .refine((name) => !name.includes(".."), "a name must not contain '..'")
  .meta({
    description: "The name by which questions refer to the resource.",
    examples: ["express"],
    pattern: `^(?!.*\\.\\.)${namePattern.source.slice(1)}`,
  });

export const Branch = textUpTo(limits.branchLength, `a branch has at most ${limits.branchLength} characters`)
  .regex(branchPattern, "a branch holds letters, digits, '/', '_', '.' and '-' only")
  .refine((branch) => !branch.startsWith("-"), "a branch must not start with '-'")
  .meta({
    description: "The branch, tag or full commit id to read.",
    pattern: `^(?!-)${branchPattern.source.slice(1)}`,
  });

export const SearchPath = textUpTo(
  limits.searchPathLength,
  `a search path has at most ${limits.searchPathLength} characters`,
)
  .min(1, "a search path must not be empty")
  .refine((path) => !path.includes(".."), "a search path must not contain '..'")
  .refine((path) => !isAbsolutePath(path), "a search path is relative to the repository's root")
  .refine((path) => !controlCharacter.test(path), "a search path must not contain a newline or control character")
  .meta({
    description: "A folder or file below the repository's root; nothing else is read.",
    pattern: `^(?!.*\\.\\.)(?![/\\\\]|[a-zA-Z]:)${withoutControls.slice(1)}`,
  });

export const SpecialNotes = textUpTo(limits.notesLength, `notes have at most ${limits.notesLength} characters`)
  .refine((notes) => !controlCharacter.test(notes), "notes must not contain control characters")
  .meta({ description: "Free notes that are shown to the model as the user's.", pattern: withoutControls });

export const PackageName = textUpTo(
  limits.packageLength,
  `a package name has at most ${limits.packageLength} characters`,
)
  .regex(packagePattern, "not a valid npm package name")
  .refine((name) => name !== "node_modules" && name !== "favicon.ico", "npm reserves this name")
  .meta({
    description: "An npm package name, plain or scoped.",
    pattern: `^(?!(?:node_modules|favicon\\.ico)$)${packagePattern.source.slice(1)}`,
  });

export const PackageVersion = textUpTo(limits.versionLength, `a version has at most ${limits.versionLength} characters`)
  .min(1, "a version must not be empty")
  .regex(/^[^\s/]+$/, "a version or tag has no spaces and no '/'")
  .meta({ description: "A version, range or tag. Without one: what the workspace has installed, else `latest`." });

/** HTTPS, no credentials, no port below the scheme's rules; whether the address is allowed is decided when it is resolved. */
export const GitUrl = textUpTo(limits.urlLength, `a URL has at most ${limits.urlLength} characters`)
  .superRefine((url, context) => {
    const reason = gitUrlFault(url);
    if (reason !== undefined) context.addIssue({ code: "custom", message: reason });
  })
  .meta({ description: "The repository's HTTPS URL, without credentials.", pattern: gitUrlPattern });

export const LocalPath = textUpTo(limits.pathLength, `a path has at most ${limits.pathLength} characters`)
  .min(1, "a path must not be empty")
  .refine((path) => !path.includes("\0"), "a path must not contain a NUL character")
  .meta({ description: "The folder to read, as it is now.", pattern: "^[^\\u0000]*$" });

export const RefreshPolicy = z.enum(["always", "daily", "manual"]).meta({
  description:
    "When to look for a newer revision of a branch, range or tag: with every question, once a day, or only when asked to.",
});
export type RefreshPolicy = z.infer<typeof RefreshPolicy>;

export const GitResource = z
  .object({
    type: z.literal("git").describe("A git repository, read over HTTPS."),
    name: ResourceName,
    url: GitUrl,
    branch: Branch.default("main"),
    searchPath: SearchPath.nullish(),
    searchPaths: z
      .array(SearchPath)
      .nullish()
      .describe("Folders and files below the repository's root; nothing else is read."),
    specialNotes: SpecialNotes.nullish(),
    refresh: RefreshPolicy.nullish(),
  })
  .meta({ id: "GitResource" });
export type GitResource = z.infer<typeof GitResource>;

export const LocalResource = z
  .object({
    type: z.literal("local").describe("A folder of this computer, read as it is now."),
    name: ResourceName,
    path: LocalPath,
    specialNotes: SpecialNotes.nullish(),
  })
  .meta({ id: "LocalResource" });
export type LocalResource = z.infer<typeof LocalResource>;

export const NpmResource = z
  .object({
    type: z.literal("npm").describe("A package, at the version that the workspace has installed."),
    name: ResourceName,
    package: PackageName,
    version: PackageVersion.nullish(),
    specialNotes: SpecialNotes.nullish(),
    refresh: RefreshPolicy.nullish(),
  })
  .meta({ id: "NpmResource" });
export type NpmResource = z.infer<typeof NpmResource>;

/** What a person configures: a git repository, a local folder or an npm package, under a name. */
export const ResourceSpec = z
  .discriminatedUnion("type", [GitResource, LocalResource, NpmResource])
  .meta({ id: "Resource" });
export type ResourceSpec = z.infer<typeof ResourceSpec>;

const ListingState = {
  state: z.enum(["ready", "absent", "stale", "failed"]).describe("Whether a revision is on disk, and how it stands."),
  revision: z.string().nullable().describe("The newest revision on disk."),
  fetchedAt: z.iso.datetime().nullable().describe("When that revision was fetched."),
  sizeBytes: z.int().nonnegative().nullable(),
  fileCount: z.int().nonnegative().nullable(),
  failure: z.string().nullable().describe("Why it could not be fetched, or not again, in words."),
  installedVersion: z
    .string()
    .optional()
    .describe("Of a package, the version that the workspace has installed, where it is another one."),
};

/** One row of `GET /resources`: every field of every kind is there, `null` where it does not apply. */
export const ResourceListing = z
  .object({
    type: z.enum(["git", "local", "npm"]),
    name: ResourceName,
    url: z.string().nullable(),
    branch: z.string().nullable(),
    searchPath: z.string().nullable(),
    searchPaths: z.array(z.string()).nullable(),
    path: z.string().nullable(),
    origin: z
      .enum(["project", "listed", "default"])
      .describe("An open project, listed in a configuration file, or one of the built-in defaults."),
    package: z.string().nullable(),
    version: z.string().nullable(),
    specialNotes: z.string().nullable(),
    refresh: RefreshPolicy.nullable(),
    ...ListingState,
  })
  .meta({ id: "ResourceListing" });
export type ResourceListing = z.infer<typeof ResourceListing>;

export const ListResourcesRequest = z.object({ scope: Scope.optional() }).meta({ id: "ListResourcesRequest" });
export type ListResourcesRequest = z.infer<typeof ListResourcesRequest>;

export const ResourceList = z.object({ resources: z.array(ResourceListing) }).meta({ id: "ResourceList" });
export type ResourceList = z.infer<typeof ResourceList>;

/** A refresh as it goes on; the last event is `done`. */
export const RefreshEvent = z
  .discriminatedUnion("type", [
    z.object({
      type: z.literal("progress"),
      resource: z.string(),
      phase: z.enum(["resolve", "fetch", "index"]),
      fraction: z.number().min(0).max(1).optional(),
      message: z.string(),
    }),
    z.object({ type: z.literal("done"), resource: ResourceListing }),
  ])
  .meta({ id: "RefreshEvent" });
export type RefreshEvent = z.infer<typeof RefreshEvent>;

export const Dependency = z.object({
  name: PackageName,
  version: z.string().nullable().describe("What is installed or locked; null where neither is known."),
  isAdded: z.boolean().describe("Whether a resource of that name or package is configured."),
  spec: NpmResource.describe("What to add."),
});
export type Dependency = z.infer<typeof Dependency>;

export const DependencyList = z
  .object({
    dependencies: z.array(Dependency).nullable().describe("Null where there is no package.json."),
  })
  .meta({ id: "DependencyList" });
export type DependencyList = z.infer<typeof DependencyList>;

export const ListBranchesRequest = z.object({ url: GitUrl }).meta({ id: "ListBranchesRequest" });
export type ListBranchesRequest = z.infer<typeof ListBranchesRequest>;

export const BranchList = z
  .object({
    main: z.string().nullable().describe("The branch that the host shows first; null where it does not say."),
    branches: z.array(z.string()),
    tags: z.array(z.string()),
  })
  .meta({ id: "BranchList" });
export type BranchList = z.infer<typeof BranchList>;

/** The two ways a git resource names its search paths, as one list without repetitions or trailing slashes. */
export function searchPathsOf(spec: Pick<GitResource, "searchPath" | "searchPaths">): string[] {
  const paths = [...(spec.searchPath ? [spec.searchPath] : []), ...(spec.searchPaths ?? [])];
  return [...new Set(paths.map((path) => path.replace(/^(\.\/)+|\/+$/g, "")))].filter(
    (path) => path !== "" && path !== ".",
  );
}

/** Why a git URL is refused by its text alone, or undefined. */
export function gitUrlFault(text: string): string | undefined {
  if (controlCharacter.test(text) || /\s/.test(text)) return "a git URL must not contain spaces or control characters";
  const url = readUrl(text);
  if (url === undefined) return "not a URL";
  if (url.protocol !== "https:") return "a git URL must use https";
  if (url.username !== "" || url.password !== "") return "a git URL must not contain credentials";
  if (url.hostname === "") return "a git URL needs a host";
  if (url.pathname === "" || url.pathname === "/") return "a git URL needs the repository's path";
  return undefined;
}

/** A URL whose path can be decoded, or undefined: `%zz` stands for no character. */
export function readUrl(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  try {
    decodeURIComponent(url.pathname);
    return url;
  } catch {
    return undefined;
  }
}

/** Absolute on any platform: `/x`, `\x`, `C:\x`, `C:x`. */
export function isAbsolutePath(path: string): boolean {
  return /^([/\\]|[a-zA-Z]:)/.test(path);
}
