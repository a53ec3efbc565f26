import * as z from "zod";
import { RefreshPolicy, ResourceSpec } from "./resource.ts";

export const ProviderOptions = z
  .looseObject({
    baseURL: z
      .url({ protocol: /^https?$/, error: "must be an http or https URL" })
      .optional()
      .describe("Root URL of the server."),
    name: z.string().min(1).max(64).optional().describe("The identifier that the SDK uses for the server."),
  })
  .meta({ id: "ProviderOptions" });
export type ProviderOptions = z.infer<typeof ProviderOptions>;

const HostName = z
  .string()
  .max(253, "a host name has at most 253 characters")
  .regex(/^(?:[a-zA-Z0-9.-]+|\[[0-9a-fA-F:.]+\])$/, "an exact host name, without scheme, port or wildcard");

/** The configuration file as a person writes it; every key may be left out. Unknown keys warn and stay. */
export const ConfigFile = z
  .looseObject({
    $schema: z.string().optional().describe("Where the JSON schema of this file is, for editors."),
    provider: z.string().min(1).max(64).optional().describe("The provider that answers. Default: builtin."),
    model: z.string().min(1).max(256).optional().describe("A model that the provider serves. Default: extractive."),
    providerTimeoutMs: z
      .int()
      .min(1)
      .max(3_600_000)
      .optional()
      .describe("How long one call of the model may take, in milliseconds. Default: 300000."),
    maxSteps: z
      .int()
      .min(1)
      .max(1000)
      .optional()
      .describe("How many calls of the model a question may take. Default: 40."),
    maxTokens: z
      .int()
      .min(1)
      .optional()
      .describe("How many tokens, in and out, a question may take; then it ends with what it has. Default: no limit."),
    dataDirectory: z.string().min(1).optional().describe("Where snapshots are kept; relative to this file's folder."),
    allowHosts: z
      .array(HostName)
      .optional()
      .describe("Git hosts that may have a private address. Counts from the global file only."),
    refresh: RefreshPolicy.optional(),
    providerOptions: z.record(z.string(), ProviderOptions).optional().describe("Keyed by provider."),
    resources: z
      .array(ResourceSpec)
      .optional()
      .describe("What questions may be asked of; those of both files count, the project's first."),
  })
  .meta({ id: "ConfigFile", title: "Citewell configuration" });
export type ConfigFile = z.infer<typeof ConfigFile>;

/** spec/service.md "Configuration file" and spec/wire.md "Names". */
export const configDefaults = {
  provider: "builtin",
  model: "extractive",
  providerTimeoutMs: 300_000,
  maxSteps: 40,
  refresh: "daily",
} as const;

export const defaultResources: readonly ResourceSpec[] = [
  { type: "npm", name: "express", package: "express" },
  { type: "npm", name: "zod", package: "zod" },
  {
    type: "git",
    name: "typescript",
    url: "https://github.com/microsoft/TypeScript-Website",
    branch: "v2",
    searchPath: "packages/documentation/copy/en",
  },
];

export const ConfigSource = z.enum(["project", "global", "default"]);
export type ConfigSource = z.infer<typeof ConfigSource>;

/** `GET /config`: what is in force, and which file said so. */
export const ConfigSummary = z
  .object({
    provider: z.string(),
    model: z.string(),
    providerTimeoutMs: z.int(),
    maxSteps: z.int(),
    dataDirectory: z.string(),
    resourcesDirectory: z.string(),
    resourceCount: z.int().nonnegative(),
    sources: z.object({ provider: ConfigSource, model: ConfigSource }),
  })
  .meta({ id: "ConfigSummary" });
export type ConfigSummary = z.infer<typeof ConfigSummary>;
