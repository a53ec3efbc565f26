import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { silentLog } from "../../../server/lib/log.ts";
import type { Usage } from "../../../server/protocol/ask.ts";
import { catalogueModels, catalogueSource } from "../../../server/providers/catalogue.ts";
import { createProviders } from "../../../server/providers/providers.ts";
import { environmentCredentials } from "../../support/credentials.ts";

const options = {
  "openai-compat": { baseURL: "http://127.0.0.1:11434/v1", name: "ollama" },
};
const providers = createProviders({
  fetch,
  credentials: environmentCredentials(),
  options: (provider) => (provider === "openai-compat" ? options["openai-compat"] : {}),
  log: silentLog,
});

async function check(provider: string, model: string, expected: { type: string; rates?: object }) {
  const pricing = await providers.pricing({ provider, model });
  const rates = pricing.type === "metered" ? pricing.priceOf([]).ratesUsdPerMTokens : undefined;
  expect({ type: pricing.type, rates }).toEqual({ rates: undefined, ...expected });
}

describe("prices", () => {
  test.each([
    ["anthropic", "claude-sonnet-4-5", { type: "metered", rates: { input: 3, output: 15 } }],
    ["anthropic", "claude-sonnet-4-5-20250929", { type: "metered", rates: { input: 3, output: 15 } }],
    ["openai", "gpt-5", { type: "metered", rates: { input: 1.25, output: 10 } }],
    ["minimax", "MiniMax-M2.7", { type: "metered", rates: { input: 0.3, output: 1.2 } }],
    ["vercel", "anthropic/claude-sonnet-4.5", { type: "metered", rates: { input: 3, output: 15 } }],
    ["vercel", "claude-sonnet-4.5", { type: "unknown" }],
    ["anthropic", "no-such-model", { type: "unknown" }],
    ["opencode", "kimi-k2", { type: "unknown" }],
    ["openai-compat", "llama3", { type: "free" }],
    ["builtin", "extractive", { type: "free" }],
  ])("of %s/%s", (provider, model, expected) => check(provider, model, expected));
});

describe("the price of calls", () => {
  async function priceOf(calls: readonly Usage[]) {
    const pricing = await providers.pricing({ provider: "anthropic", model: "claude-sonnet-4-5" });
    if (pricing.type !== "metered") throw new Error("no price");
    return pricing.priceOf(calls);
  }

  test("is the sum over all calls, with the catalogue and its date", async () => {
    const call = { inputTokens: 100_000, outputTokens: 1000, totalTokens: 101_000 };
    expect(await priceOf([call, call])).toEqual({
      source: catalogueSource,
      modelKey: "anthropic/claude-sonnet-4-5",
      ratesUsdPerMTokens: { input: 3, output: 15 },
      costUsd: { input: 0.6, output: 0.03, total: 0.63 },
    });
  });

  test("prices cached tokens at their own rate", async () => {
    const { costUsd } = await priceOf([{ inputTokens: 100_000, outputTokens: 0, cacheReadTokens: 90_000 }]);
    expect(costUsd).toEqual({ input: 0.057, output: 0, total: 0.057 });
  });

  test("prices a long call at the higher rate, but not two short ones with the same total", async () => {
    const [long, short] = await Promise.all([
      priceOf([{ inputTokens: 300_000, outputTokens: 0 }]),
      priceOf([
        { inputTokens: 150_000, outputTokens: 0 },
        { inputTokens: 150_000, outputTokens: 0 },
      ]),
    ]);
    expect([long.costUsd.total, short.costUsd.total]).toEqual([1.8, 0.9]);
  });

  test("is zero without reported usage", async () => {
    expect((await priceOf([{}])).costUsd).toEqual({ input: 0, output: 0, total: 0 });
  });
});

test("lists only text models billed by tokens", async () => {
  const models = await catalogueModels("openai");
  expect(models["gpt-5"]).toMatchObject({ name: "GPT-5", contextTokens: 400_000 });
  expect(Object.keys(models).filter((id) => id.includes("embedding"))).toEqual([]);
  expect(await catalogueModels("nobody")).toEqual({});
});

test("reports the installed catalogue version", () => {
  const file = createRequire(import.meta.url)
    .resolve("@pydantic/genai-prices")
    .replace(/dist.*$/, "package.json");
  const { version } = z.object({ version: z.string() }).parse(createRequire(import.meta.url)(file));
  expect(catalogueSource).toMatch(
    new RegExp(`^genai-prices ${version.replaceAll(".", "\\.")} \\(\\d{4}-\\d\\d-\\d\\d\\)$`),
  );
});
