import * as z from "zod";
import { GitUrl } from "./kinds/git-fields.ts";
import { kindFields, KindName, specSchemas } from "./kinds/kinds.ts";
import { packageSchemas } from "./kinds/packages.ts";
import { limits, ResourceName } from "./resource-fields.ts";

/** What a request may be about; `request` is its name in messages. */
export function resourceRefs(request: string) {
  return z
    .array(z.string().min(1, "a resource must not be empty").max(limits.pathLength))
    .max(limits.resourcesPerRequest, `at most ${limits.resourcesPerRequest} resources in one ${request}`)
    .describe(
      "Configured names, https git URLs, packages (`npm:zod`, `npm:zod@4.1.0`, `pypi:requests`, `cargo:serde`, `go:net/http`), and absolute paths of folders. " +
        "None given means what `scope` says.",
    );
}

/** What a request that names no resource is about (docs/contract.md, "The open project"). */
export const Scope = z
  .enum(["project", "configured"])
  .describe(
    "For a request that names no resource. `project`: the open project and what a configuration file lists. " +
      "`configured`: all configured resources. Over HTTP `configured` is the default, elsewhere `project`.",
  );
export type Scope = z.infer<typeof Scope>;

/** A resource that could not be opened and was skipped, and why. */
export const Unavailable = z
  .object({ resource: z.string(), tag: z.string(), error: z.string() })
  .meta({ id: "Unavailable" });
export type Unavailable = z.infer<typeof Unavailable>;

/** A configured resource of any kind, under its name. */
export const ResourceSpec = z.discriminatedUnion("type", specSchemas).meta({ id: "Resource" });
export type ResourceSpec = z.infer<typeof ResourceSpec>;

/** A resource to add to a certain configuration file. */
export const PlacedResource = z
  .object({
    resource: ResourceSpec,
    savedTo: z.enum(["project", "global"]).describe("The file to write; a missing one is created."),
  })
  .meta({ id: "PlacedResource" });
export type PlacedResource = z.infer<typeof PlacedResource>;

const ListingState = {
  state: z.enum(["ready", "absent", "stale", "failed"]).describe("Whether a revision is on disk, and its state."),
  revision: z.string().nullable().describe("The newest revision on disk."),
  fetchedAt: z.iso.datetime().nullable().describe("When that revision was fetched."),
  sizeBytes: z.int().nonnegative().nullable(),
  fileCount: z.int().nonnegative().nullable(),
  failure: z.string().nullable().describe("Why the last fetch failed, in words."),
  installedVersion: z.string().optional().describe("The installed version of a package, if it differs."),
  indexed: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe("The indexed share of its files, while an index is built in the background."),
};

/** What a listing says beside the resource as it is configured. */
export const listingFacts = ["origin", ...Object.keys(ListingState)] as const;

/** One row of `GET /resources`: every field of every kind is there, `null` where it does not apply. */
export const ResourceListing = z
  .object({
    type: KindName,
    name: ResourceName,
    ...kindFields,
    origin: z
      .enum(["project", "listed", "default"])
      .describe("An open project, listed in a configuration file, or one of the built-in defaults."),
    specialNotes: z.string().nullable(),
    ...ListingState,
  })
  .meta({ id: "ResourceListing" });
export type ResourceListing = z.infer<typeof ResourceListing>;

export const ListResourcesRequest = z.object({ scope: Scope.optional() }).meta({ id: "ListResourcesRequest" });
export type ListResourcesRequest = z.infer<typeof ListResourcesRequest>;

export const ResourceList = z.object({ resources: z.array(ResourceListing) }).meta({ id: "ResourceList" });
export type ResourceList = z.infer<typeof ResourceList>;

/** The open projects that were indexed. */
export const Prepared = z.object({ resources: z.array(z.string()) }).meta({ id: "Prepared" });
export type Prepared = z.infer<typeof Prepared>;

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

/** A package of any ecosystem, under its name. */
export const PackageSpec = z.discriminatedUnion("type", packageSchemas);
export type PackageSpec = z.infer<typeof PackageSpec>;

export const Dependency = z.object({
  name: ResourceName,
  version: z.string().nullable().describe("The installed or locked version; null if neither is known."),
  wanted: z
    .string()
    .optional()
    .describe("What the manifest asks for (a version, range or tag), if no version is known."),
  isAdded: z.boolean().describe("Whether a resource of that name or package is configured."),
  spec: PackageSpec.describe("The resource to add."),
});
export type Dependency = z.infer<typeof Dependency>;

export const DependencyList = z
  .object({
    dependencies: z
      .array(Dependency)
      .nullable()
      .describe("Null if there is no manifest, such as package.json or pyproject.toml."),
    skipped: z
      .array(z.object({ name: z.string(), reason: z.string() }))
      .optional()
      .describe("Dependencies that cannot be added, and why: another origin than a registry, for example."),
  })
  .meta({ id: "DependencyList" });
export type DependencyList = z.infer<typeof DependencyList>;

export const ListBranchesRequest = z.object({ url: GitUrl }).meta({ id: "ListBranchesRequest" });
export type ListBranchesRequest = z.infer<typeof ListBranchesRequest>;

export const BranchList = z
  .object({
    main: z.string().nullable().describe("The host's default branch; null if unknown."),
    branches: z.array(z.string()),
    tags: z.array(z.string()),
  })
  .meta({ id: "BranchList" });
export type BranchList = z.infer<typeof BranchList>;

/** The fields of a spec as a listing has them: every field of every kind, `null` where it does not apply. */
export function listedFields(spec: ResourceSpec): Pick<ResourceListing, ListedField>;
export function listedFields(spec: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const fields = ["type", "name", "specialNotes", ...Object.keys(kindFields)];
  return Object.fromEntries(fields.map((field) => [field, spec[field] ?? null]));
}

type ListedField = "type" | "name" | "specialNotes" | keyof typeof kindFields;

/** A listing as it is configured: without the fields that do not apply. */
export function toSpec(listing: ResourceListing): ResourceSpec {
  return ResourceSpec.parse(Object.fromEntries(Object.entries(listing).filter(([, value]) => value !== null)));
}
