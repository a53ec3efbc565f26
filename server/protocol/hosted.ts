import * as z from "zod";
import { GitResource } from "./kinds/git-fields.ts";
import { NpmResource } from "./kinds/npm.ts";
import { ResourceListing, Unavailable } from "./resource.ts";
import { ResourceName } from "./resource-fields.ts";

/** What an API key may do: ask questions, read (list, search, read, verify), or manage resources. */
export const KeyScope = z.enum(["ask", "read", "manage"]);
export type KeyScope = z.infer<typeof KeyScope>;

/** A team's project in the hosted service. */
export const Project = z.object({
  id: z.uuid(),
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, "a project's name has up to 63 lower-case letters, digits and hyphens"),
  createdAt: z.iso.datetime(),
});
export type Project = z.infer<typeof Project>;

/** An API key as it is listed: the key itself is shown only when it is created. */
export const ApiKey = z.object({
  id: z.uuid(),
  name: z.string().min(1, "a key needs a name").max(100, "a key's name has at most 100 characters"),
  hint: z.string().describe("The key's first characters."),
  scopes: z.array(KeyScope).min(1, "a key needs at least one scope"),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().nullable(),
  revokedAt: z.iso.datetime().nullable(),
  lastUsedAt: z.iso.datetime().nullable().describe("To the minute."),
});
export type ApiKey = z.infer<typeof ApiKey>;

/** An entry of a project's audit log. */
export const AuditEntry = z.object({
  at: z.iso.datetime(),
  actor: z.string().describe("`operator`, or `key:<id>`."),
  action: z.string(),
  target: z.string(),
  detail: z.record(z.string(), z.unknown()),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

/** The input of the tool `addResource`; `ResourceSpec` says which fields each type needs. A service reads no folders. */
export const AddResource = z.object({
  type: z.enum(["git", "npm"]),
  name: ResourceName,
  ...GitResource.omit({ type: true, name: true, refresh: true, searchPath: true }).partial().shape,
  ...NpmResource.pick({ package: true, version: true }).partial().shape,
});

/** The input of the tool `sync`. */
export const Sync = z.object({
  resource: ResourceName.optional().describe("Its name; without one, all resources are fetched."),
});

/** The result of the tool `sync`. */
export const SyncReply = z.object({
  resources: z.array(ResourceListing).describe("Those that were fetched, or were current."),
  failed: z.array(Unavailable).describe("Those that could not be fetched: what was fetched before stays."),
  pending: z.array(z.string()).describe("Those that are still being fetched: listResources shows when they are ready."),
});
export type SyncReply = z.infer<typeof SyncReply>;
