import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { createLog, silentLog } from "../../../server/lib/log.ts";
import { createProviders } from "../../../server/providers/providers.ts";
import { environmentCredentials } from "../../support/credentials.ts";
import { scriptedModel, type ScriptedModel, type ScriptedStep } from "../../support/scripted-model.ts";

const key = "secret-key-of-mine";
const fallback = "to ask without a model: citewell ask --provider builtin";
const soon = { "retry-after": "0" };

/** The result of a script: the received text and the final error. */
async function run(script: readonly ScriptedStep[], credential: string | undefined = key) {
  await using server = await scriptedModel(script);
  const model = await open(server, credential);
  const { text, error } = await collect(model);
  return { text, error, requests: server.requests.length };
}

async function check(script: readonly ScriptedStep[], expected: { tag: string; message: string; hint: string }) {
  const { error } = await run(script);
  expect(error).toMatchObject({
    ...expected,
    hint: [expected.hint, fallback].filter((hint) => hint !== "").join("; "),
  });
}

async function open({ config }: ScriptedModel, credential: string | undefined): Promise<LanguageModelV4> {
  const credentials = environmentCredentials(credential === undefined ? {} : { OPENAI_COMPAT_API_KEY: credential });
  const options = (provider: string) => config.providerOptions[provider] ?? {};
  const providers = createProviders({ fetch, credentials, options, log: silentLog });
  return providers.languageModel(config);
}

async function collect(model: LanguageModelV4, abortSignal?: AbortSignal) {
  const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "hello" }] }];
  const parts: LanguageModelV4StreamPart[] = [];
  let error: unknown;
  try {
    const { stream } = await model.doStream({ prompt, ...(abortSignal && { abortSignal }) });
    for await (const part of stream) parts.push(part);
  } catch (thrown) {
    error = thrown;
  }
  const text = parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("");
  const failed = parts.find((part) => part.type === "error");
  return { text, error: failed?.error ?? error };
}

test("answers, with the key as a bearer token", async () => {
  await using server = await scriptedModel(["hello"]);
  const model = await open(server, key);
  expect(await collect(model)).toEqual({ text: "hello", error: undefined });
  expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
  expect([model.provider, model.modelId]).toEqual(["openai-compat", "scripted"]);
});

test("trims the key", async () => {
  await using server = await scriptedModel(["hello"]);
  await collect(await open(server, `${key}\n`));
  expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
});

test("sends no authorization header without a key", async () => {
  await using server = await scriptedModel(["hello"]);
  await collect(await open(server, undefined));
  expect(server.requests[0]?.headers.authorization).toBeUndefined();
});

test.each([
  ["429", { status: 429, headers: soon }],
  ["500", { status: 500, headers: soon }],
  ["503", { status: 503, headers: soon }],
  ["a connection that is cut before the answer", { refuse: true }],
])("tries again after %s", async (_, failure) => {
  expect(await run([failure, "hello"])).toEqual({ text: "hello", error: undefined, requests: 2 });
});

test("fails after three attempts", async () => {
  const { error, requests } = await run(Array.from({ length: 4 }, () => ({ status: 503, headers: soon })));
  expect(error).toMatchObject({ tag: "ProviderFailed" });
  expect(requests).toBe(3);
});

test.each([400, 401, 403, 404])("does not retry after %i", async (status) => {
  const { requests } = await run([{ status }, "hello"]);
  expect(requests).toBe(1);
});

test("does not wait longer than a minute, and reports the delay", async () => {
  await check(
    [{ status: 429, headers: { "retry-after": "3600" }, body: { error: { message: "quota used up" } } }, "late"],
    {
      tag: "ProviderRateLimited",
      message: "openai-compat/scripted has had too many requests (HTTP 429): quota used up",
      hint: "ask again in 60 minutes",
    },
  );
});

test("supports a date in Retry-After", async () => {
  const past = new Date(0).toUTCString();
  expect(await run([{ status: 503, headers: { "retry-after": past } }, "hello"])).toMatchObject({ text: "hello" });
});

test("reports a rate limit after retries", () =>
  check(
    Array.from({ length: 3 }, () => ({ status: 429, headers: soon, body: { error: { message: "slow down" } } })),
    {
      tag: "ProviderRateLimited",
      message: "openai-compat/scripted has had too many requests (HTTP 429): slow down",
      hint: "wait a little and ask again",
    },
  ));

test("reports a refused key without the server's message", () =>
  check([{ status: 401, body: { error: { message: `bad key ${key}` } } }], {
    tag: "ProviderRefused",
    message: "openai-compat/scripted refused the key (HTTP 401)",
    hint: "connect again: citewell connect -p openai-compat",
  }));

test("reports a missing key", async () => {
  const { error } = await run([{ status: 401 }], "");
  expect(error).toMatchObject({ message: "openai-compat/scripted asks for a key (HTTP 401)" });
});

test("reports a refused request", () =>
  check([{ status: 403, body: { error: { message: "not in your plan" } } }], {
    tag: "ProviderRefused",
    message: "openai-compat/scripted refused the request (HTTP 403): not in your plan",
    hint: "connect again: citewell connect -p openai-compat",
  }));

test.each([
  { status: 404, body: { error: { message: "no such model" } } },
  { status: 400, body: { error: { message: "no such model", code: "model_not_found" } } },
])("reports a missing model (HTTP $status)", async (reply) => {
  await check([reply], {
    tag: "ModelNotFound",
    message: `openai-compat found no model "scripted" (HTTP ${reply.status}): no such model`,
    hint: "check the model's name",
  });
});

test("quotes a shortened error page without the key", () =>
  check(
    [
      { status: 500, headers: soon, body: `<h1>Oops</h1>\n  ${key} ${"x".repeat(300)}` },
      { status: 400, body: `${key}!` },
    ],
    {
      tag: "ProviderFailed",
      message: "openai-compat/scripted failed (HTTP 400): ‹key›!",
      hint: "",
    },
  ));

test("reports an unreachable server", async () => {
  const server = await scriptedModel([]);
  const model = await open(server, key);
  await server[Symbol.asyncDispose]();
  const { error } = await collect(model);
  const host = new URL(server.baseURL).host;
  expect(error).toMatchObject({
    tag: "ProviderFailed",
    message: `cannot reach openai-compat/scripted at ${host}: connect ECONNREFUSED`,
    hint: `check that it runs, and its baseURL and proxy; ${fallback}`,
  });
});

test("keeps partial text when the connection is lost", async () => {
  const { text, error, requests } = await run([{ text: ["one ", "two "], closeAfter: 2 }, "again"]);
  expect(text).toBe("one two ");
  expect(error).toMatchObject({
    tag: "ProviderFailed",
    message: "the connection to openai-compat/scripted was lost in the middle of the answer",
  });
  expect(requests).toBe(1);
});

test("reports a connection closed before the answer", () =>
  check([{ closeAfter: 0 }], {
    tag: "ProviderFailed",
    message: "openai-compat/scripted ended the connection without an answer",
    hint: "ask again",
  }));

test.each([
  ["no JSON", "<html>busy</html>", "<html>busy</html>"],
  ["other JSON", '{"choices":3}', '{"choices":3}'],
])("quotes what is no answer: %s", async (_, garbage, quoted) => {
  await check([{ garbage }], {
    tag: "ProviderFailed",
    message: `openai-compat/scripted sent an invalid answer: ${quoted}`,
    hint: "check that baseURL is where the API starts, often with /v1 at the end",
  });
});

test("reports a response that is not a stream", () =>
  check([{ status: 200, headers: { "content-type": "text/html" }, body: "<html>Sign in</html>" }], {
    tag: "ProviderFailed",
    message: "openai-compat/scripted answered with text/html instead of a stream",
    hint: "check that baseURL is where the API starts, often with /v1 at the end",
  }));

test.each([
  [{ message: "overloaded", type: "server_error" }, "ProviderFailed", "openai-compat/scripted failed: overloaded"],
  [
    { message: "slow down", code: 429 },
    "ProviderRateLimited",
    "openai-compat/scripted has had too many requests: slow down",
  ],
])("reports an error sent in the answer: %j", async (error, tag, message) => {
  const { error: failure } = await run([{ garbage: JSON.stringify({ error }) }]);
  expect(failure).toMatchObject({ tag, message });
});

test("stops waiting for a retry when cancelled", async () => {
  await using server = await scriptedModel([{ status: 503, headers: { "retry-after": "50" } }, "late"]);
  const controller = new AbortController();
  const model = await open(server, key);
  const running = collect(model, controller.signal);
  await server.request(0);
  controller.abort();
  expect((await running).error).toMatchObject({ name: "AbortError" });
  expect(server.requests).toHaveLength(1);
});

test("logs each retry without the server's message", async () => {
  await using server = await scriptedModel([{ status: 429, headers: soon, body: key }, "hello"]);
  const lines: string[] = [];
  const log = createLog("debug", (line) => lines.push(line));
  const options = (provider: string) => server.config.providerOptions[provider] ?? {};
  const providers = createProviders({
    fetch,
    credentials: environmentCredentials({ OPENAI_COMPAT_API_KEY: key }),
    options,
    log,
  });
  await collect(await providers.languageModel(server.config));
  expect(lines.map((line) => line.slice(25))).toEqual([
    "warn provider-retry provider=openai-compat model=scripted statusCode=429 delayMs=0\n",
  ]);
});
