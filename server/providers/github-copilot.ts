import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { ProviderDefinition } from "./definition.ts";
import { breakpoints, withBreakpoints } from "./prompt-cache.ts";
import { openChatCompletions } from "./chat-completions/open.ts";
import { openResponses, withCalls } from "./wires.ts";

/** The models of a GitHub Copilot plan, at github.com or at a company's GitHub. */
export const githubCopilot: ProviderDefinition = {
  name: "GitHub Copilot",
  auth: ["oauth"],
  baseURL: "https://api.githubcopilot.com",
  signIn: {
    flow: "device",
    oauth: {
      issuer: "https://github.com",
      deviceAuthorizationEndpoint: "https://github.com/login/device/code",
      tokenEndpoint: "https://github.com/login/oauth/access_token",
      scopes: ["read:user"],
    },
    acceptsOpencode: true,
    isSubscription: true,
    baseURL: ({ enterpriseUrl }) =>
      enterpriseUrl === undefined ? "https://api.githubcopilot.com" : `https://copilot-api.${hostOf(enterpriseUrl)}`,
  },
  api: { wire: "openai" },
  async openModel(model, settings) {
    const open = needsResponses(model) ? openResponses : openChatCompletions;
    const headers = { "openai-intent": "conversation-edits" };
    const cached = (params: LanguageModelV4CallOptions) =>
      model.startsWith("claude-") ? withBreakpoints(params, breakpoints.copilot) : params;
    return withCalls(await open(model, { ...settings, headers }), async ({ params }) => ({
      ...cached(params),
      // A user's message counts against the plan; the agent's follow-up calls do not.
      headers: { ...params.headers, "x-initiator": params.prompt.at(-1)?.role === "user" ? "user" : "agent" },
    }));
  },
};

/** Newer GPT models support only the Responses API. */
function needsResponses(model: string): boolean {
  const [, version] = /^gpt-(\d+)/.exec(model) ?? [];
  return Number(version) >= 5 && !model.startsWith("gpt-5-mini");
}

/** opencode stores the user's input: a host or a URL. */
function hostOf(enterpriseUrl: string): string {
  return enterpriseUrl.replace(/^https?:\/\//, "").replace(/\/.*$/, "");
}
