import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import * as z from "zod";
import { parseJson } from "../lib/parse-json.ts";
import type { ProviderDefinition } from "./definition.ts";
import { openResponses, withCalls } from "./wires.ts";

/** OpenAI, with a platform key or a ChatGPT sign-in, which uses a separate API. */
export const openai: ProviderDefinition = {
  name: "OpenAI",
  auth: ["oauth", "api"],
  envVars: ["OPENAI_API_KEY"],
  baseURL: "https://api.openai.com/v1",
  signIn: {
    flow: "browser",
    oauth: {
      issuer: "https://auth.openai.com",
      authorizationEndpoint: "https://auth.openai.com/oauth/authorize",
      tokenEndpoint: "https://auth.openai.com/oauth/token",
      scopes: ["openid", "profile", "email", "offline_access"],
    },
    acceptsOpencode: true,
    isSubscription: true,
    baseURL: () => "https://chatgpt.com/backend-api/codex",
    clientIdIn: (accessToken) => AccessClaims.safeParse(readClaims(accessToken)).data?.client_id,
    accountIdIn: (claims) => PlanClaims.safeParse(claims).data?.["https://api.openai.com/auth"].chatgpt_account_id,
  },
  api: { wire: "openai" },
  pricedAs: (model) => ({ type: "listed", place: { providerId: "openai" }, model }),
  async openModel(model, settings) {
    if (settings.account.type !== "signed-in") return openResponses(model, settings);
    const { accountId } = settings.account.signIn;
    const headers = { originator: "citewell", ...(accountId === undefined ? {} : { "chatgpt-account-id": accountId }) };
    return withCalls(await openResponses(model, { ...settings, headers }), async ({ params }) => asPlanCall(params));
  },
};

const PlanClaims = z.object({ "https://api.openai.com/auth": z.object({ chatgpt_account_id: z.string() }) });

const AccessClaims = z.object({ client_id: z.string().min(1) });

/** The claims of a JWT (RFC 7519). The provider checks its signature. */
function readClaims(token: string): unknown {
  const [, payload = ""] = token.split(".");
  return parseJson(Buffer.from(payload, "base64url").toString());
}

/** The plan's API is stateless and accepts the system prompt only as `instructions`. */
function asPlanCall(params: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const instructions = params.prompt.flatMap((message) => (message.role === "system" ? [message.content] : []));
  return {
    ...params,
    prompt: params.prompt.filter(({ role }) => role !== "system"),
    providerOptions: {
      ...params.providerOptions,
      openai: { ...params.providerOptions?.["openai"], store: false, instructions: instructions.join("\n\n") },
    },
  };
}
