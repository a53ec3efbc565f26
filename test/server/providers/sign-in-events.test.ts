import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { silentLog } from "../../../server/lib/log.ts";
import type { SignInEvent } from "../../../server/protocol/sign-in.ts";
import { createCredentials } from "../../../server/providers/credentials.ts";
import { listModels } from "../../../server/providers/list-models.ts";
import { createProviders, type ProvidersOptions } from "../../../server/providers/providers.ts";
import { signIn } from "../../../server/providers/sign-in.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { modelServer } from "../../support/model-server.ts";
import { oauthServer } from "../../support/oauth-server.ts";

async function setUp(given: Partial<ProvidersOptions> = {}) {
  const folder = await temporaryFolder();
  const authFile = path.join(folder.path, "auth.json");
  const connectionsFile = path.join(folder.path, "connections.json");
  const credentials = createCredentials({ file: authFile, connectionsFile, env: {}, log: silentLog });
  const providers = createProviders({
    fetch,
    credentials,
    options: () => ({}),
    findProgram: async (name) => `/usr/bin/${name}`,
    log: silentLog,
    ...given,
  });
  return { authFile, providers, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

const signal = new AbortController().signal;

describe("signing in", () => {
  test("emits the page to open, then done", async () => {
    await using server = await oauthServer();
    const { issuer, clientId } = server;
    const oauth = { issuer, clientId, scopes: ["openid", "offline_access"] };
    await using user = await setUp({ options: () => ({ oauth }) });
    const events: SignInEvent[] = [];
    for await (const event of signIn("google", { providers: user.providers, signal })) {
      events.push(event);
      if (event.type === "open") await server.browse(event.url);
    }
    expect(events.map(({ type }) => type)).toEqual(["open", "done"]);
    expect(await user.providers.isConnected("google")).toBe(true);
  });

  test("emits the device code", async () => {
    await using server = await oauthServer();
    const { issuer, clientId } = server;
    const oauth = { issuer, clientId, scopes: ["openid"], flow: "device" as const };
    await using user = await setUp({ options: () => ({ oauth }) });
    for await (const event of signIn("google", { providers: user.providers, signal })) {
      expect(event).toEqual({
        type: "open",
        url: expect.stringContaining(issuer),
        code: expect.stringMatching(/\w{4}/),
      });
      break;
    }
  });

  test("waits for opencode's sign-in if there is no client", async () => {
    await using user = await setUp();
    const old = { type: "oauth", access: "old", refresh: "old", expires: 0 };
    await writeFile(user.authFile, JSON.stringify({ "github-copilot": old }));
    const events: SignInEvent[] = [];
    for await (const event of signIn("github-copilot", { providers: user.providers, signal })) {
      events.push(event);
      if (event.type !== "run") continue;
      await writeFile(user.authFile, `${await readFile(user.authFile, "utf8")} half a fi`);
      await writeFile(user.authFile, JSON.stringify({ "github-copilot": { ...old, access: "new" } }));
    }
    expect(events).toEqual([
      { type: "run", command: ["opencode", "auth", "login"] },
      { type: "done", provider: "github-copilot" },
    ]);
  });

  test("ends with ProviderTimeout if not finished", async () => {
    await using user = await setUp({ signInTimeoutMs: 1 });
    const events = signIn("github-copilot", { providers: user.providers, signal });
    expect(await events.next()).toMatchObject({ value: { type: "run" } });
    await expect(events.next()).rejects.toMatchObject({ tag: "ProviderTimeout" });
  });

  test("is cancelled with its signal", async () => {
    await using user = await setUp();
    const stop = new AbortController();
    const events = signIn("github-copilot", { providers: user.providers, signal: stop.signal });
    await events.next();
    stop.abort(new Error("closed"));
    await expect(events.next()).rejects.toThrow("closed");
  });

  test("hints at a key if there is no sign-in", async () => {
    await using user = await setUp();
    const events = signIn("anthropic", { providers: user.providers, signal });
    await expect(events.next()).rejects.toMatchObject({ tag: "InvalidRequest" });
  });
});

describe("the models of compatible servers", () => {
  test("include local servers and the configured server's error", async () => {
    await using api = await modelServer();
    await using user = await setUp({ localServers: [{ name: "mine", baseURL: `${api.url}/v1` }] });
    const listed = await listModels({ provider: "openai-compat" }, { providers: user.providers, signal });
    expect(listed).toEqual({
      models: {},
      problem: expect.objectContaining({ tag: "ProviderNotConnected" }),
      servers: [{ name: "mine", baseURL: `${api.url}/v1`, models: expect.any(Array) }],
    });
  });

  test("at a typed address are requested without the key", async () => {
    await using api = await modelServer();
    await using user = await setUp();
    await user.providers.connect("openai-compat", { method: "api", key: "K", baseURL: "https://mine.example/v1" });
    const request = { provider: "openai-compat", baseURL: `${api.url}/v1/` };
    await listModels(request, { providers: user.providers, signal });
    expect(api.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });
});
