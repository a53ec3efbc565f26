import * as z from "zod";
import { ErrorBody } from "./error.ts";
import { ModelInfo } from "./provider.ts";

const ServerUrl = z.url({ protocol: /^https?$/, error: "must be an http or https URL" });
const ProviderId = z.string().min(1, "a provider must not be empty").max(64);

export const ProviderRef = z.object({ provider: ProviderId }).meta({ id: "ProviderRef" });

export const ListModelsRequest = z
  .object({
    provider: ProviderId,
    baseURL: ServerUrl.optional().describe(
      "The address of a compatible server that is not configured yet; used without a key.",
    ),
  })
  .meta({ id: "ListModelsRequest" });
export type ListModelsRequest = z.infer<typeof ListModelsRequest>;

export const ModelList = z
  .object({
    models: z.record(z.string(), ModelInfo).describe("By id."),
    servers: z
      .array(z.object({ name: z.string(), baseURL: z.string(), models: z.array(z.string()) }))
      .optional()
      .describe("For `openai-compat`: the servers found on this computer."),
    problem: ErrorBody.optional().describe("Why the configured server of `openai-compat` listed no model."),
  })
  .meta({ id: "ModelList" });
export type ModelList = z.infer<typeof ModelList>;

/** A key travels over the editor's own channel only: no operation that carries one is offered over HTTP. */
export const ConnectProvider = z
  .object({
    provider: ProviderId,
    key: z.string().min(1, "a key must not be empty").max(10_000),
    baseURL: ServerUrl.optional(),
  })
  .meta({ id: "ConnectProvider" });

export const ProviderConnected = z
  .object({ provider: z.string(), connected: z.literal(true) })
  .meta({ id: "ProviderConnected" });

/** A client secret travels as keys do: over the editor's own channel only. */
export const SignInRequest = z
  .object({
    provider: ProviderId,
    clientId: z
      .string()
      .min(1, "a client id must not be empty")
      .max(256)
      .optional()
      .describe("An OAuth client that the user has registered with the provider; stored for later sign-ins."),
    clientSecret: z.string().min(1).max(10_000).optional().describe("If the provider requires one."),
  })
  .meta({ id: "SignInRequest" });

/** A sign-in as it goes on: `open` or `run`, then `done`, which is last. One that fails throws. */
export const SignInEvent = z
  .discriminatedUnion("type", [
    z.object({
      type: z.literal("open"),
      url: z.url().describe("The address to open in the user's browser."),
      code: z.string().optional().describe("The code to enter there (device flow)."),
    }),
    z.object({
      type: z.literal("run"),
      command: z
        .array(z.string())
        .describe("The other program's sign-in command, to run in a terminal; its credentials are awaited."),
    }),
    z.object({ type: z.literal("done"), provider: z.string() }),
  ])
  .meta({ id: "SignInEvent" });
export type SignInEvent = z.infer<typeof SignInEvent>;

export const Disconnected = z
  .object({
    removed: z.boolean().describe("False if nothing was stored."),
    variable: z.string().optional().describe("The environment variable that keeps it connected."),
  })
  .meta({ id: "Disconnected" });
