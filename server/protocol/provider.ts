import * as z from "zod";
import { UsdRates } from "./ask.ts";

/** The provider that answers with extracts, without a model, a key and a network. */
export const builtinProvider = "builtin";

/** Whether the built-in provider answers, without a language model. */
export function isBuiltin({ provider, model }: { provider: string; model: string }): boolean {
  return provider === builtinProvider && model === "extractive";
}

/** How a provider knows who asks: a key, a sign-in, or not at all. */
export const AuthMethod = z.enum(["api", "oauth", "none"]);
export type AuthMethod = z.infer<typeof AuthMethod>;

export const ModelInfo = z
  .object({
    name: z.string().optional(),
    contextTokens: z.int().positive().optional(),
    pricing: z
      .object({ source: z.string(), ratesUsdPerMTokens: UsdRates })
      .optional()
      .describe("List prices, in US$ per million tokens."),
  })
  .meta({ id: "ModelInfo" });
export type ModelInfo = z.infer<typeof ModelInfo>;

export const ProviderInfo = z
  .object({
    id: z.string(),
    name: z.string(),
    auth: z.array(AuthMethod).describe("The methods available now: `oauth` only if there is a client to sign in with."),
    takesClient: z.boolean().optional().describe("Whether users can sign in with their own OAuth client."),
    envVar: z.string().optional().describe("The environment variable that may hold the key."),
    models: z.record(z.string(), ModelInfo).describe("Known models by id; most providers serve others as well."),
  })
  .meta({ id: "ProviderInfo" });
export type ProviderInfo = z.infer<typeof ProviderInfo>;

/** `GET /providers`. */
export const ProviderList = z
  .object({
    all: z.array(ProviderInfo),
    connected: z.array(z.string()).describe("Providers that are ready to use, including those that need no key."),
  })
  .meta({ id: "ProviderList" });
export type ProviderList = z.infer<typeof ProviderList>;
