import { describe, expect, test } from "vitest";
import { silentLog } from "../../../server/lib/log.ts";
import type { ProviderOptions } from "../../../server/protocol/config.ts";
import { usualServers } from "../../../server/providers/local-servers.ts";
import { createProviders } from "../../../server/providers/providers.ts";
import { environmentCredentials } from "../../support/credentials.ts";
import { modelServer, type Override } from "../../support/model-server.ts";

function providersWith(providerOptions: Record<string, ProviderOptions> = {}, env: Record<string, string> = {}) {
  const options = (provider: string) => providerOptions[provider] ?? {};
  return createProviders({ fetch, credentials: environmentCredentials(env), options, log: silentLog });
}

async function check(provider: string, model: string, expected: object, options?: Record<string, ProviderOptions>) {
  await expect(providersWith(options).languageModel({ provider, model })).rejects.toMatchObject(expected);
}

const known =
  "known providers: builtin, vscode, openrouter, opencode, anthropic, openai, github-copilot, google, openai-compat, minimax, vercel";

describe("languageModel", () => {
  test.each([
    ["opnai-compat", "did you mean openai-compat?"],
    ["nothing-like-it", known],
    ["constructor", known],
    ["", known],
  ])("lists the known providers for unknown %j", async (provider, hint) => {
    await check(provider, "x", { tag: "ProviderNotFound", message: `no provider ${JSON.stringify(provider)}`, hint });
  });

  test.each([
    [{}, "baseURL"],
    [{ name: "ollama" }, "baseURL"],
    [{ baseURL: "http://127.0.0.1:11434/v1" }, "name"],
  ])("reports missing settings of a compatible server: %j", async (options, missing) => {
    await check(
      "openai-compat",
      "x",
      {
        tag: "ProviderNotConnected",
        message: `the provider openai-compat has no ${missing}`,
        hint: 'set baseURL and name under providerOptions["openai-compat"] in citewell.config.jsonc',
      },
      { "openai-compat": options },
    );
  });

  test("rejects other models of the built-in provider", async () => {
    await check("builtin", "gpt", {
      tag: "ModelNotFound",
      message: 'the provider builtin has no model "gpt"',
      hint: "its only model is extractive",
    });
  });

  test.each([
    ["anthropic", "has no key", "run: citewell connect -p anthropic, or set ANTHROPIC_API_KEY"],
    ["github-copilot", "has no sign-in", "run: citewell connect -p github-copilot"],
    ["google", "has no key", "run: citewell connect -p google, or set GEMINI_API_KEY"],
  ])("hints how to connect %s", async (provider, lack, hint) => {
    await check(provider, "x", { tag: "ProviderNotConnected", message: `the provider ${provider} ${lack}`, hint });
  });

  test("provides editor models only inside the editor", async () => {
    await check("vscode", "gpt", {
      tag: "ProviderNotConnected",
      message: "the provider vscode is available only inside the editor",
      hint: "ask in VS Code, or choose another provider: citewell connect",
    });
  });
});

test("with a key, only the user's configuration applies", async () => {
  const asked: unknown[] = [];
  const providers = createProviders({
    fetch,
    credentials: environmentCredentials({ ANTHROPIC_API_KEY: "K" }),
    options(provider, settings) {
      asked.push([provider, settings]);
      return settings.hasKey ? {} : { baseURL: "http://a.project.example" };
    },
    log: silentLog,
  });
  expect(await providers.isConnected("anthropic")).toBe(true);
  expect(asked).toContainEqual(["anthropic", { hasKey: true }]);
  expect(asked).not.toContainEqual(["anthropic", { hasKey: undefined }]);
});

describe("list", () => {
  test("returns sign-in methods and known models of each provider", async () => {
    const list = await providersWith().list();
    expect(list.map(({ id, auth, envVar }) => [id, auth.join(" "), envVar])).toEqual([
      ["builtin", "none", undefined],
      ["vscode", "none", undefined],
      ["openrouter", "api", "OPENROUTER_API_KEY"],
      ["opencode", "api", "OPENCODE_API_KEY"],
      ["anthropic", "api", "ANTHROPIC_API_KEY"],
      ["openai", "api", "OPENAI_API_KEY"],
      ["github-copilot", "", undefined],
      ["google", "api", "GEMINI_API_KEY"],
      ["openai-compat", "api none", "OPENAI_COMPAT_API_KEY"],
      ["minimax", "api", "MINIMAX_API_KEY"],
      ["vercel", "api", "AI_GATEWAY_API_KEY"],
    ]);
    expect(list.find(({ id }) => id === "builtin")?.models).toEqual({
      extractive: { name: "Extracts, no key and no network" },
    });
    expect(list.find(({ id }) => id === "anthropic")?.models["claude-sonnet-4-5"]).toEqual({
      name: "Claude Sonnet 4.5",
      contextTokens: 200_000,
      pricing: { source: "genai-prices 0.1.8 (2026-09-23)", ratesUsdPerMTokens: { input: 3, output: 15 } },
    });
  });
});

describe("isConnected", () => {
  test.each([
    ["builtin", {}, {}, true],
    ["vscode", {}, {}, false],
    ["openai-compat", {}, {}, false],
    ["openai-compat", { baseURL: "http://127.0.0.1:1/v1" }, {}, false],
    ["openai-compat", { baseURL: "http://127.0.0.1:1/v1", name: "local" }, {}, true],
    ["anthropic", {}, {}, false],
    ["anthropic", {}, { ANTHROPIC_API_KEY: "K" }, true],
    ["anthropic", {}, { ANTHROPIC_API_KEY: " " }, false],
    ["github-copilot", {}, {}, false],
  ])("%s with %j and %j: %s", async (provider, options, env, expected) => {
    expect(await providersWith({ [provider]: options }, env).isConnected(provider)).toBe(expected);
  });
});

describe("checkModel", () => {
  /** Checks a model with a server that lists `models`. */
  async function checkServed(
    provider: string,
    model: string,
    expected: object,
    { models = ["m-1", "m-2"], override }: { models?: string[]; override?: Override } = {},
  ) {
    await using server = await modelServer({ models, ...(override === undefined ? {} : { override }) });
    const version = provider === "google" ? "v1beta" : "v1";
    const options = { [provider]: { baseURL: `${server.url}/${version}`, name: "local" } };
    const env = { OPENROUTER_API_KEY: "K", ANTHROPIC_API_KEY: "K", GEMINI_API_KEY: "K", OPENAI_COMPAT_API_KEY: "K" };
    expect(await providersWith(options, env).checkModel({ provider, model })).toEqual(expected);
    return server.requests;
  }

  test.each(["openai-compat", "openrouter", "anthropic", "google"])("checks the model list of %s", async (provider) => {
    await checkServed(provider, "m-1", { type: "served" });
    await checkServed(provider, "m-3", { type: "not-served", nearest: ["m-1", "m-2"] });
  });

  test("sends the key in the provider's own header", async () => {
    const [openai] = await checkServed("openai-compat", "m-1", { type: "served" });
    const [anthropic] = await checkServed("anthropic", "m-1", { type: "served" });
    const [google] = await checkServed("google", "m-1", { type: "served" });
    expect([
      openai?.headers["authorization"],
      anthropic?.headers["x-api-key"],
      google?.headers["x-goog-api-key"],
    ]).toEqual(["Bearer K", "K", "K"]);
  });

  test("requests an unlisted model by id, because it may be an alias", async () => {
    await checkServed(
      "anthropic",
      "m-latest",
      { type: "served" },
      {
        override: ({ url }) => (url === "/v1/models/m-latest" ? { status: 200, body: { id: "m-1" } } : undefined),
      },
    );
  });

  test("ignores OpenRouter's route suffixes", async () => {
    await checkServed("openrouter", "m-1:nitro", { type: "served" });
  });

  test.each([
    [{ status: 401 }, "127.0.0.1 did not list its models (HTTP 401)"],
    [{ status: 404 }, "127.0.0.1 did not list its models (HTTP 404)"],
    [{ status: 200, body: "hello" }, "127.0.0.1 sent an invalid model list"],
    [{ status: 200, body: { data: [] } }, "the list of its models is empty"],
  ])("reports why a check failed: %j", async (answer, reason) => {
    await using server = await modelServer({ override: () => answer });
    const options = { "openai-compat": { baseURL: `${server.url}/v1`, name: "local" } };
    const check = await providersWith(options).checkModel({ provider: "openai-compat", model: "m" });
    expect(check).toEqual({ type: "unchecked", reason: reason.replace("127.0.0.1", new URL(server.url).host) });
  });

  test("reports an unreachable server", async () => {
    const server = await modelServer();
    await server[Symbol.asyncDispose]();
    const options = { baseURL: server.url, name: "local" };
    expect(await providersWith().checkModel({ provider: "openai-compat", model: "m" }, { options })).toEqual({
      type: "unchecked",
      reason: `cannot reach ${new URL(server.url).host}: connect ECONNREFUSED`,
    });
  });

  test("sends no request to an unconnected provider", async () => {
    expect(await providersWith().checkModel({ provider: "anthropic", model: "m" })).toEqual({
      type: "unchecked",
      reason: "the provider anthropic has no key",
    });
  });

  test("checks an unsaved server, without a key", async () => {
    await using server = await modelServer({ models: ["m"] });
    const query = { options: { baseURL: `${server.url}/v1`, name: "local" } };
    const ref = { provider: "openai-compat", model: "m" };
    expect(await providersWith().checkModel(ref, query)).toEqual({ type: "served" });
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
    const withKey = providersWith({}, { OPENAI_COMPAT_API_KEY: "K", ANTHROPIC_API_KEY: "K" });
    expect(await withKey.checkModel(ref, query)).toMatchObject({ type: "unchecked" });
    expect(server.requests).toHaveLength(1);
  });

  test("accepts the built-in model and rejects unknown ones", async () => {
    const providers = providersWith();
    expect(await providers.checkModel({ provider: "builtin", model: "extractive" })).toEqual({ type: "served" });
    expect(await providers.checkModel({ provider: "builtin", model: "extractiv" })).toEqual({
      type: "not-served",
      nearest: ["extractive"],
    });
    await expect(providers.checkModel({ provider: "nobody", model: "m" })).rejects.toMatchObject({
      tag: "ProviderNotFound",
    });
  });

  test("can be cancelled", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    const options = { baseURL: "http://127.0.0.1:9/v1", name: "local" };
    await expect(
      providersWith().checkModel({ provider: "openai-compat", model: "m" }, { options, signal }),
    ).rejects.toThrow("enough");
  });
});

describe("listModels", () => {
  test("lists models from the catalogue", async () => {
    expect(Object.keys(await providersWith().listModels("anthropic"))).toContain("claude-sonnet-4-5");
  });

  test("lists models from a compatible server", async () => {
    await using server = await modelServer({ models: ["a", "b"] });
    const options = { "openai-compat": { baseURL: `${server.url}/v1/`, name: "local" } };
    expect(await providersWith(options).listModels("openai-compat")).toEqual({ a: {}, b: {} });
    expect(server.requests[0]?.url).toBe("/v1/models");
  });
});

describe("discoverLocal", () => {
  const signal = new AbortController().signal;

  test("finds running servers with their models and skips other programs", async () => {
    await using ollama = await modelServer({ models: ["llama3:latest"] });
    await using other = await modelServer({ override: () => ({ status: 404 }) });
    await using silent = await modelServer({ override: () => ({ status: 200, body: "hello" }) });
    const gone = await modelServer();
    await gone[Symbol.asyncDispose]();
    const localServers = [ollama, other, silent, gone].map(({ url }, index) => ({
      name: `server-${index}`,
      baseURL: `${url}/v1`,
    }));
    const providers = createProviders({
      fetch,
      credentials: environmentCredentials({ OPENAI_COMPAT_API_KEY: "K" }),
      options: () => ({}),
      log: silentLog,
      localServers,
    });
    expect(await providers.discoverLocal({ signal })).toEqual([
      { name: "server-0", baseURL: `${ollama.url}/v1`, models: ["llama3:latest"] },
    ]);
    expect(ollama.requests[0]?.headers.authorization).toBeUndefined();
  });

  test("searches loopback only", () => {
    expect(usualServers.map(({ name, baseURL }) => `${name} ${baseURL}`)).toEqual([
      "ollama http://127.0.0.1:11434/v1",
      "lmstudio http://127.0.0.1:1234/v1",
      "llama.cpp http://127.0.0.1:8080/v1",
      "vllm http://127.0.0.1:8000/v1",
    ]);
  });

  test("can be cancelled", async () => {
    await expect(providersWith().discoverLocal({ signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow(
      "enough",
    );
  });
});
