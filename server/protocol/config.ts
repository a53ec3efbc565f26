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

/** A company's own OAuth client at a provider, or other endpoints. Missing fields keep their defaults. */
export const OAuthOptions = z
  .looseObject({
    clientId: z.string().min(1).max(256).optional().describe("The client registered for Citewell."),
    clientSecretVariable: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of an environment variable")
      .optional()
      .describe("The environment variable with the client's secret, if the server requires one."),
    issuer: SecureUrl.optional().describe("Missing endpoints are discovered from the issuer (RFC 8414)."),
    authorizationEndpoint: SecureUrl.optional().describe("The address at which the browser signs in."),
    tokenEndpoint: SecureUrl.optional().describe("The address that issues and renews tokens."),
    deviceAuthorizationEndpoint: SecureUrl.optional().describe("The address that issues device codes."),
    scopes: z.array(z.string().min(1).max(256)).optional().describe("The scopes that the sign-in requests."),
    redirectUri: z
      .url({
        protocol: /^http$/,
        hostname: /^(?:127\.0\.0\.1|localhost)$/,
        error: "must be http on 127.0.0.1 or localhost",
      })
      .meta({ pattern: "^[Hh][Tt][Tt][Pp]://(?:127\\.0\\.0\\.1|[Ll][Oo][Cc][Aa][Ll][Hh][Oo][Ss][Tt])(?:[:/?#]|$)" })
      .optional()
      .describe("The redirect address; without a port, any free one."),
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
    oauth: OAuthOptions.optional().describe("Read from the global file only."),
  })
  .meta({ id: "ProviderOptions" });
export type ProviderOptions = z.infer<typeof ProviderOptions>;

const HostName = z
  .string()
  .max(259, "a host name has at most 253 characters")
  .regex(
    /^(?:[a-zA-Z0-9.-]+|\[[0-9a-fA-F:.]+\])(?::\d{1,5})?$/,
    "an exact host name, alone or with a port, without scheme or wildcard",
  );

/** The configuration file as a person writes it; every key may be left out. Unknown keys warn and stay. */
export const ConfigFile = z
  .looseObject({
    $schema: z.string().optional().describe("The address of this file's JSON schema, for editors."),
    ...WrittenSettings.shape,
    dataDirectory: z.string().min(1).optional().describe("The folder for snapshots, relative to this file's folder."),
    allowHosts: z
      .array(HostName)
      .optional()
      .describe(
        "Git hosts that may have a private address, as `git.corp` for all ports or `git.corp:8443` for one. Read from the global file only.",
      ),
    providerOptions: z
      .record(z.string(), ProviderOptions)
      .optional()
      .describe("The address of a provider's server and how to sign in to it, by provider."),
    resources: z
      .array(ResourceSpec)
      .optional()
      .describe("The resources for questions. Those of both files apply; the project's take precedence."),
  })
  .meta({ id: "ConfigFile", title: "Citewell configuration" });
export type ConfigFile = z.infer<typeof ConfigFile>;

const ConfigFilePlace = z.object({ path: z.string().describe("Absolute."), exists: z.boolean() });

/** Where the configuration files are, whether or not they can be read. */
export const ConfigFiles = z
  .object({ project: ConfigFilePlace.nullable().describe("Null if there is no project."), global: ConfigFilePlace })
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
    hint: z.string().optional().describe("Present if the model could not be checked."),
  })
  .meta({ id: "ModelSet" });
export type ModelSet = z.infer<typeof ModelSet>;

export const Reloaded = z
  .object({ ok: z.literal(true), resources: z.array(z.string()).describe("The names of the effective resources.") })
  .meta({ id: "Reloaded" });

export const Cleared = z
  .object({ cleared: z.int().nonnegative().describe("The number of clones removed.") })
  .meta({ id: "Cleared" });
