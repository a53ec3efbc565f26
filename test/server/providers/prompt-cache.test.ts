import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Message } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { silentLog } from "../../../server/lib/log.ts";
import { githubCopilot } from "../../../server/providers/github-copilot.ts";
import { createProviders } from "../../../server/providers/providers.ts";
import { environmentCredentials } from "../../support/credentials.ts";
import { modelServer } from "../../support/model-server.ts";

const call = (id: string): LanguageModelV4Message => ({
  role: "assistant",
  content: [{ type: "tool-call", toolCallId: id, toolName: "search", input: { query: id } }],
});
const result = (id: string): LanguageModelV4Message => ({
  role: "tool",
  content: [
    { type: "tool-result", toolCallId: id, toolName: "search", output: { type: "text", value: `found ${id}` } },
  ],
});
const tool = (name: string) => ({
  type: "function" as const,
  name,
  inputSchema: { type: "object" as const, properties: { query: { type: "string" as const } } },
});

/** The third call of a run: two searches are done. */
const thirdCall: LanguageModelV4CallOptions = {
  prompt: [
    { role: "system", content: "be brief" },
    { role: "user", content: [{ type: "text", text: "why?" }] },
    call("a"),
    result("a"),
    call("b"),
    result("b"),
  ],
  tools: [tool("search"), tool("read")],
};

/** The body of the request that the third call makes. */
async function bodyOf(provider: string, model: string, variable: string): Promise<unknown> {
  await using server = await modelServer();
  const providers = createProviders({
    fetch,
    credentials: environmentCredentials({ [variable]: "key" }),
    options: (id) => (id === provider ? { baseURL: `${server.url}/v1` } : {}),
    log: silentLog,
  });
  await run(await providers.languageModel({ provider, model }));
  return server.requests[0]?.body;
}

async function run(model: LanguageModelV4): Promise<void> {
  const { stream } = await model.doStream(thirdCall);
  for await (const part of stream) if (part.type === "error") throw part.error;
}

/** Where a body asks for the prompt to be cached, as paths. */
function marksIn(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    /^(?:copilot_)?cache_control$/.test(key) && inner !== undefined
      ? [path]
      : marksIn(inner, path === "" ? key : `${path}.${key}`),
  );
}

test.each([
  ["anthropic", "claude-x", "ANTHROPIC_API_KEY"],
  ["opencode", "claude-x", "OPENCODE_API_KEY"],
  ["minimax", "MiniMax-M9", "MINIMAX_API_KEY"],
  ["vercel", "anthropic/claude-x", "AI_GATEWAY_API_KEY"],
])("%s %s caches the tools, the instructions and the last two results", async (...provider) => {
  expect(marksIn(await bodyOf(...provider))).toEqual(
    expect.arrayContaining(["system.0", "messages.2.content.0", "messages.4.content.0", "tools.1"]),
  );
  expect(marksIn(await bodyOf(...provider))).toHaveLength(4);
});

test("a Claude model at OpenRouter caches the instructions and the last two results", async () => {
  const body = await bodyOf("openrouter", "anthropic/claude-x", "OPENROUTER_API_KEY");
  expect(marksIn(body)).toEqual(["messages.0.content.0", "messages.3", "messages.5"]);
});

test("a Claude model of GitHub Copilot does so, too", async () => {
  await using server = await modelServer();
  const account = { type: "key", key: "token" } as const;
  const settings = { name: "", baseURL: `${server.url}/v1`, fetch, account, editorModels: undefined };
  await run(await githubCopilot.openModel("claude-x", settings));
  expect(marksIn(server.requests[0]?.body)).toEqual(["messages.0", "messages.3", "messages.5"]);
});

test.each([
  ["openrouter", "z/glm", "OPENROUTER_API_KEY"],
  ["vercel", "google/gemini-9", "AI_GATEWAY_API_KEY"],
  ["openai", "gpt-9", "OPENAI_API_KEY"],
])("%s %s, which caches unasked, gets no marks", async (...provider) => {
  expect(marksIn(await bodyOf(...provider))).toEqual([]);
});

test("OpenAI gets the same cache key for the same instructions", async () => {
  const key = { prompt_cache_key: "citewell-b0d336336bae9756" };
  expect(await bodyOf("openai", "gpt-9", "OPENAI_API_KEY")).toMatchObject(key);
  expect(await bodyOf("openai", "gpt-9-mini", "OPENAI_API_KEY")).toMatchObject(key);
});
