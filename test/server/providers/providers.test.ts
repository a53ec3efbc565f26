import { describe, expect, test } from "vitest";
import { silentLog } from "../../../server/lib/log.ts";
import type { ProviderOptions } from "../../../server/protocol/config.ts";
import { createProviders } from "../../../server/providers/providers.ts";

function providersWith(providerOptions: Record<string, ProviderOptions> = {}) {
  const options = (provider: string) => providerOptions[provider] ?? {};
  return createProviders({ fetch, credentials: async () => undefined, options, log: silentLog });
}

async function check(provider: string, model: string, expected: object, options?: Record<string, ProviderOptions>) {
  await expect(providersWith(options).languageModel({ provider, model })).rejects.toMatchObject(expected);
}

describe("languageModel", () => {
  test.each([
    ["opnai-compat", "did you mean openai-compat?"],
    ["nothing-like-it", "known providers: builtin, openai-compat"],
    ["constructor", "known providers: builtin, openai-compat"],
    ["", "known providers: builtin, openai-compat"],
  ])("names the known providers when there is no %j", async (provider, hint) => {
    await check(provider, "x", { tag: "ProviderNotFound", message: `no provider ${JSON.stringify(provider)}`, hint });
  });

  test.each([
    [{}, "baseURL"],
    [{ name: "ollama" }, "baseURL"],
    [{ baseURL: "http://127.0.0.1:11434/v1" }, "name"],
  ])("says what a compatible server lacks: %j", async (options, missing) => {
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

  test("opens the built-in model without any setting", async () => {
    const model = await providersWith().languageModel({ provider: "builtin", model: "extractive" });
    expect([model.provider, model.modelId]).toEqual(["builtin", "extractive"]);
  });

  test("knows the one model of the built-in provider", async () => {
    await check("builtin", "gpt", {
      tag: "ModelNotFound",
      message: 'the provider builtin has no model "gpt"',
      hint: "its only model is extractive",
    });
  });
});

test("asks for the key by its variable, and for the options that go with a key", async () => {
  const asked: unknown[] = [];
  const providers = createProviders({
    fetch,
    async credentials(provider, { envVar }) {
      asked.push([provider, envVar]);
      return "a key";
    },
    options(provider, { hasKey }) {
      asked.push([provider, hasKey]);
      return { baseURL: "http://127.0.0.1:1/v1", name: "local" };
    },
    log: silentLog,
  });
  await providers.languageModel({ provider: "openai-compat", model: "x" });
  expect(asked).toEqual([
    ["openai-compat", "OPENAI_COMPAT_API_KEY"],
    ["openai-compat", true],
  ]);
});

describe("list", () => {
  test("tells of each provider how to connect it and what it serves", () => {
    expect(providersWith().list()).toEqual([
      {
        id: "builtin",
        name: "Built-in (extracts)",
        auth: ["none"],
        models: { extractive: { name: "Extracts, no key and no network" } },
      },
      {
        id: "openai-compat",
        name: "OpenAI-compatible server",
        auth: ["api", "none"],
        envVar: "OPENAI_COMPAT_API_KEY",
        models: {},
      },
    ]);
  });
});

describe("isConnected", () => {
  test("is true of the built-in provider", async () => {
    expect(await providersWith().isConnected("builtin")).toBe(true);
  });

  test("is true of a compatible server that has a URL and a name", async () => {
    expect(await providersWith().isConnected("openai-compat")).toBe(false);
    const options = { baseURL: "http://127.0.0.1:1/v1", name: "local" };
    expect(await providersWith({ "openai-compat": options }).isConnected("openai-compat")).toBe(true);
  });
});
