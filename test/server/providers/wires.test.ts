import { describe, expect, test } from "vitest";
import { silentLog } from "../../../server/lib/log.ts";
import type { ProviderOptions } from "../../../server/protocol/config.ts";
import { createProviders } from "../../../server/providers/providers.ts";
import { environmentCredentials } from "../../support/credentials.ts";
import { type ModelRequest, modelServer } from "../../support/model-server.ts";
import { readModel } from "../../support/read-model.ts";

const key = "the-key";
const bearer = { authorization: `Bearer ${key}` };

/** Calls a provider's model on a loopback server with the key from `variable`. */
async function ask(
  provider: string,
  model: string,
  { variable, ...options }: ProviderOptions & { variable: string },
): Promise<ModelRequest> {
  await using server = await modelServer();
  const baseURL = `${server.url}/v1`;
  const providers = createProviders({
    fetch,
    credentials: environmentCredentials({ [variable]: key }),
    options: (id) => (id === provider ? { baseURL, ...options } : {}),
    log: silentLog,
  });
  expect(await readModel(await providers.languageModel({ provider, model }))).toBe("hello");
  const [request] = server.requests;
  if (request === undefined) throw new Error("nothing was asked");
  return request;
}

async function check(
  provider: string,
  model: string,
  variable: string,
  expected: { url: string; headers: object; body?: object },
) {
  const request = await ask(provider, model, { variable, name: "mine" });
  expect(request).toMatchObject({ method: "POST", ...expected });
}

describe("each provider gets requests in its own format, at the configured address, with the key in its header", () => {
  test.each([
    ["openrouter", "z/glm", "OPENROUTER_API_KEY", "/v1/chat/completions", bearer, { model: "z/glm" }],
    ["opencode", "kimi-k2", "OPENCODE_API_KEY", "/v1/chat/completions", bearer, { model: "kimi-k2" }],
    ["opencode", "claude-x", "OPENCODE_API_KEY", "/v1/messages", { "x-api-key": key }, { model: "claude-x" }],
    ["opencode", "gpt-9", "OPENCODE_API_KEY", "/v1/responses", bearer, { model: "gpt-9" }],
    [
      "opencode",
      "gemini-9",
      "OPENCODE_API_KEY",
      "/v1/models/gemini-9:streamGenerateContent?alt=sse",
      { "x-goog-api-key": key },
      {},
    ],
    [
      "anthropic",
      "claude-x",
      "ANTHROPIC_API_KEY",
      "/v1/messages",
      { "x-api-key": key, "anthropic-version": "2023-06-01" },
      { model: "claude-x" },
    ],
    ["openai", "gpt-9", "OPENAI_API_KEY", "/v1/responses", bearer, { model: "gpt-9" }],
    [
      "google",
      "gemini-9",
      "GEMINI_API_KEY",
      "/v1/models/gemini-9:streamGenerateContent?alt=sse",
      { "x-goog-api-key": key },
      {},
    ],
    ["google", "gemini-9", "GOOGLE_API_KEY", "/v1/models/gemini-9:streamGenerateContent?alt=sse", {}, {}],
    ["openai-compat", "llama3", "OPENAI_COMPAT_API_KEY", "/v1/chat/completions", bearer, { model: "llama3" }],
    [
      "minimax",
      "MiniMax-M9",
      "MINIMAX_API_KEY",
      "/v1/messages",
      { "x-api-key": key },
      { model: "MiniMax-M9", max_tokens: 32_000 },
    ],
    ["vercel", "z/glm", "AI_GATEWAY_API_KEY", "/v1/chat/completions", bearer, { model: "z/glm" }],
  ])("%s/%s", async (provider, model, variable, url, headers, body) => {
    await check(provider, model, variable, { url, headers, body });
  });
});

test("without a configured address, each provider uses its own", async () => {
  const asked: string[] = [];
  const providers = createProviders({
    fetch: async (input) => {
      asked.push(String(input instanceof Request ? input.url : input));
      return new Response("{}", { status: 400, headers: { "content-type": "application/json" } });
    },
    credentials: environmentCredentials(
      Object.fromEntries(
        ["OPENROUTER", "OPENCODE", "ANTHROPIC", "OPENAI", "GEMINI", "MINIMAX", "AI_GATEWAY"].map((name) => [
          `${name}_API_KEY`,
          key,
        ]),
      ),
    ),
    options: () => ({}),
    log: silentLog,
  });
  for (const provider of ["openrouter", "opencode", "anthropic", "openai", "google", "minimax", "vercel"]) {
    await expect(readModel(await providers.languageModel({ provider, model: "m" }))).rejects.toThrow("HTTP 400");
  }
  expect(asked).toEqual([
    "https://openrouter.ai/api/v1/chat/completions",
    "https://opencode.ai/zen/v1/chat/completions",
    "https://api.anthropic.com/v1/messages",
    "https://api.openai.com/v1/responses",
    "https://generativelanguage.googleapis.com/v1beta/models/m:streamGenerateContent?alt=sse",
    "https://api.minimax.io/anthropic/v1/messages",
    "https://ai-gateway.vercel.sh/v1/chat/completions",
  ]);
});
