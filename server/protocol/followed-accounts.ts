import * as z from "zod";
import { hostKinds } from "./host-kinds.ts";
import { ResourceName } from "./resource-fields.ts";

export const HostKind = z.enum(hostKinds);
export type HostKind = z.infer<typeof HostKind>;

/** More stars in one pattern take too long to match. */
const starLimit = 4;

/** `lib-*`, a repository's name; `team/*`, its path below the account; `team/**`, with all folders below. */
const RepositoryPattern = z
  .string()
  .trim()
  .min(1)
  .max(200, "a pattern has at most 200 characters")
  .refine((text) => (text.match(/\*+/g) ?? []).length <= starLimit, `a pattern has at most ${starLimit} wildcards`)
  .refine((text) => /^[\w.~*/-]+$/.test(text), "a pattern has letters, digits, '.', '_', '-', '/' and '*'");

const Patterns = z.array(RepositoryPattern).max(100, "there are at most 100 patterns");

/** The filters of a form: it has all of them. */
export const AllFilters = z.object({
  include: Patterns.describe("Patterns of those that are followed; empty: all."),
  exclude: Patterns.describe("Patterns of those that are not."),
  includesArchived: z.boolean(),
  includesForks: z.boolean(),
  maxMb: z
    .number("a number")
    .positive("more than 0")
    .nullable()
    .describe("The largest repository, by the size that the host reports; null: any."),
});

/** Which repositories of an account are followed. */
export const FollowFilters = AllFilters.extend({
  include: AllFilters.shape.include.default([]),
  exclude: AllFilters.shape.exclude.default([]),
  includesArchived: AllFilters.shape.includesArchived.default(false),
  includesForks: AllFilters.shape.includesForks.default(false),
  maxMb: AllFilters.shape.maxMb.default(null),
});
export type FollowFilters = z.infer<typeof FollowFilters>;

/** A repository that a run skipped, and why. */
const LeftOut = z.object({ repository: z.string(), reason: z.string() });
export type LeftOut = z.infer<typeof LeftOut>;

const Removal = z.object({ name: z.string(), reason: z.string() });

/** What a run changes, or would change. */
export const FollowPlan = z.object({
  listed: z.int().describe("How many repositories the host listed."),
  added: z.array(z.object({ name: z.string(), url: z.string(), branch: z.string() })),
  removed: z.array(Removal),
  moved: z
    .array(z.object({ name: z.string(), from: z.string(), to: z.string() }))
    .describe("Resources whose repository was renamed, or has another default branch. They keep their name."),
  leftOut: z.array(LeftOut),
  held: z
    .array(Removal)
    .describe("Resources that the host no longer lists, but so many at once that a person must confirm their removal."),
});
export type FollowPlan = z.infer<typeof FollowPlan>;

/** The name by which the resources of an account can be named together: `@backend`. */
export const GroupName = z
  .string()
  .trim()
  .regex(/^[a-zA-Z0-9][\w.-]*$/, "a group's name has letters, digits, '.', '_' and '-'")
  .max(60, "a group's name has at most 60 characters")
  .refine((name) => ResourceName.safeParse(`@${name}`).success, "a group's name must not contain '..'");

/** An account of a git host whose repositories a project follows. */
export const FollowedAccount = z.object({
  id: z.uuid(),
  kind: HostKind,
  host: z.string(),
  account: z.string().describe("An organization, a group with its path, a workspace or a person."),
  group: z.string().describe("The name of the group of its resources."),
  filters: FollowFilters,
  addsLimited: z.boolean().describe("A new resource is for owners and admins only, until an admin chooses members."),
  createdAt: z.iso.datetime(),
  isRunning: z.boolean(),
  nextRunAt: z.iso.datetime(),
  listedAt: z.iso.datetime().nullable().describe("When its repositories were last listed completely."),
  failure: z.string().nullable().describe("Why the last run failed. Nothing was changed by it."),
  failingSince: z.iso.datetime().nullable(),
  lastRun: FollowPlan.nullable().describe("What the last complete run did; long lists are cut."),
});
export type FollowedAccount = z.infer<typeof FollowedAccount>;
