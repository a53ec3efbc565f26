import * as z from "zod";
import { RefreshPolicy, ResourceSpec } from "./resource.ts";

/** Secrets travel to it, so that only this computer may do without encryption. */
const SecureUrl = z
  .url({ protocol: /^https?$/, error: "must be an https URL" })
  .refine((text) => isEncryptedOrLoopback(text), "must be an https URL (http is for loopback only)")
  .meta({
    pattern:
      "^(?:[Hh][Tt][Tt][Pp][Ss]:|[Hh][Tt][Tt][Pp]://(?:127\\.0\\.0\\.1|[Ll][Oo][Cc][Aa][Ll][Hh][Oo][Ss][Tt]|\\[::1\\])(?:[:/?#]|$))",
  });

/** A company's own OAuth client at a provider, or other endpoints. What is left out stays as it ships. */
export const OAuthOptions = z
  .looseObject({
    clientId: z.string().min(1).max(256).optional().describe("The client that is registered for Citewell."),
    clientSecretVariable: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of an environment variable")
      .optional()
      .describe("The environment variable that holds the client's secret, where the server asks for one."),
    issuer: SecureUrl.optional().describe("Endpoints that are not given are asked of the issuer (RFC 8414)."),
    authorizationEndpoint: SecureUrl.optional().describe("Where the browser signs in."),
    tokenEndpoint: SecureUrl.optional().describe("Where tokens are given and renewed."),
    deviceAuthorizationEndpoint: SecureUrl.optional().describe("Where a device code is given."),
    scopes: z.array(z.string().min(1).max(256)).optional().describe("What the sign-in asks to be allowed."),
    redirectUri: z
      .url({
        protocol: /^http$/,
        hostname: /^(?:127\.0\.0\.1|localhost)$/,
        error: "must be http on 127.0.0.1 or localhost",
      })
      .meta({ pattern: "^[Hh][Tt][Tt][Pp]://(?:127\\.0\\.0\\.1|[Ll][Oo][Cc][Aa][Ll][Hh][Oo][Ss][Tt])(?:[:/?#]|$)" })
      .optional()
      .describe("Where the browser comes back to; without a port any free one."),
    flow: z
      .enum(["browser", "device"])
      .optional()
      .describe("How to sign in: in the browser of this computer, or with a code on any device."),
  })
  .meta({ id: "OAuthOptions" });
export type OAuthOptions = z.infer<typeof OAuthOptions>;

function isEncryptedOrLoopback(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === "https:" || ["127.0.0.1", "localhost", "[::1]"].includes(hostname);
}

export const ProviderOptions = z
  .looseObject({
    baseURL: z
      .url({ protocol: /^https?$/, error: "must be an http or https URL" })
      .meta({ pattern: "^[Hh][Tt][Tt][Pp][Ss]?:" })
      .optional()
      .describe("Root URL of the server."),
    name: z.string().min(1).max(64).optional().describe("The identifier that the SDK uses for the server."),
    oauth: OAuthOptions.optional().describe("Counts from the global file only."),
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
    maxCostUsd: z
      .number()
      .positive()
      .optional()
      .describe("What a question may cost, in US$; then it ends with what it has. Default: no limit."),
    dataDirectory: z.string().min(1).optional().describe("Where snapshots are kept; relative to this file's folder."),
    allowHosts: z
      .array(HostName)
      .optional()
      .describe("Git hosts that may have a private address. Counts from the global file only."),
    refresh: RefreshPolicy.optional(),
    providerOptions: z
      .record(z.string(), ProviderOptions)
      .optional()
      .describe("Where a provider's server is, and how to sign in to it; keyed by provider."),
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

export const ConfigSource = z.enum(["project", "global", "default"]);
export type ConfigSource = z.infer<typeof ConfigSource>;

const optionalSource = ConfigSource.optional();

/** Which file a value comes from. */
export const ConfigSources = z.object({
  provider: ConfigSource,
  model: ConfigSource,
  providerTimeoutMs: optionalSource,
  maxSteps: optionalSource,
  maxTokens: optionalSource,
  maxCostUsd: optionalSource,
  refresh: optionalSource,
  dataDirectory: optionalSource,
});
export type ConfigSources = z.infer<typeof ConfigSources>;

const ConfigFilePlace = z.object({ path: z.string().describe("Absolute."), exists: z.boolean() });

/** Where the configuration files are, whether or not they can be read. */
export const ConfigFiles = z
  .object({ project: ConfigFilePlace.nullable().describe("Null where there is no project."), global: ConfigFilePlace })
  .meta({ id: "ConfigFiles" });
export type ConfigFiles = z.infer<typeof ConfigFiles>;

/** `GET /config`: what is in force, and which file said so. */
export const ConfigSummary = z
  .object({
    provider: z.string(),
    model: z.string(),
    providerTimeoutMs: z.int(),
    maxSteps: z.int(),
    maxTokens: z.int().nullish().describe("Null is no limit."),
    maxCostUsd: z.number().nullish().describe("Null is no limit."),
    refresh: RefreshPolicy.optional(),
    dataDirectory: z.string(),
    resourcesDirectory: z.string(),
    resourceCount: z.int().nonnegative(),
    sources: ConfigSources,
  })
  .meta({ id: "ConfigSummary" });
export type ConfigSummary = z.infer<typeof ConfigSummary>;

const NamedProvider = z.string().min(1, "a provider must not be empty").max(64);

/** `PUT /config/model`. `openai-compat` also needs `baseURL` and `name`, from the body or already configured. */
export const SetModel = z
  .object({
    provider: NamedProvider,
    model: z.string().min(1, "a model must not be empty").max(256),
    providerOptions: ProviderOptions.optional(),
  })
  .meta({ id: "SetModel" });
export type SetModel = z.infer<typeof SetModel>;

export const ModelSet = z
  .object({
    provider: z.string(),
    model: z.string(),
    providerOptions: ProviderOptions.optional(),
    savedTo: z.enum(["project", "global"]),
    hint: z.string().optional().describe("Said where the model could not be checked."),
  })
  .meta({ id: "ModelSet" });
export type ModelSet = z.infer<typeof ModelSet>;

export const Reloaded = z
  .object({ ok: z.literal(true), resources: z.array(z.string()).describe("The names in force.") })
  .meta({ id: "Reloaded" });

export const Cleared = z
  .object({ cleared: z.int().nonnegative().describe("How many clones were removed.") })
  .meta({ id: "Cleared" });
