import * as z from "zod";
import { ResourceSpec } from "./resource.ts";
import { ConfigSources, ReportedSettings, WrittenSettings } from "./settings.ts";

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
    ...WrittenSettings.shape,
    dataDirectory: z.string().min(1).optional().describe("Where snapshots are kept; relative to this file's folder."),
    allowHosts: z
      .array(HostName)
      .optional()
      .describe("Git hosts that may have a private address. Counts from the global file only."),
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

const ConfigFilePlace = z.object({ path: z.string().describe("Absolute."), exists: z.boolean() });

/** Where the configuration files are, whether or not they can be read. */
export const ConfigFiles = z
  .object({ project: ConfigFilePlace.nullable().describe("Null where there is no project."), global: ConfigFilePlace })
  .meta({ id: "ConfigFiles" });
export type ConfigFiles = z.infer<typeof ConfigFiles>;

/** `GET /config`: what is in force, and which file sets it. Servers of earlier versions report fewer settings. */
export const ConfigSummary = z
  .object({
    ...ReportedSettings.partial().shape,
    ...ReportedSettings.pick({ provider: true, model: true, providerTimeoutMs: true, maxSteps: true }).shape,
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
