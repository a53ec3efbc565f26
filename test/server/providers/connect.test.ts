import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { silentLog } from "../../../server/lib/log.ts";
import type { ProviderOptions } from "../../../server/protocol/config.ts";
import { createCredentials } from "../../../server/providers/credentials.ts";
import { createProviders, type Providers } from "../../../server/providers/providers.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { modelServer } from "../../support/model-server.ts";
import { readModel } from "../../support/read-model.ts";

interface SetUp {
  /** Provider options in the global file. */
  options?: Record<string, ProviderOptions>;
  env?: Record<string, string>;
  /** opencode's entries in `auth.json`. */
  auth?: object;
  fetch?: typeof globalThis.fetch;
  findProgram?: (name: string) => Promise<string | undefined>;
}

async function setUp({ options = {}, env = {}, auth, ...given }: SetUp = {}) {
  const folder = await temporaryFolder();
  const file = path.join(folder.path, "auth.json");
  if (auth !== undefined) await writeFile(file, JSON.stringify(auth));
  const connectionsFile = path.join(folder.path, "connections.json");
  const credentials = createCredentials({ file, connectionsFile, env, log: silentLog });
  const open = (configured: Record<string, ProviderOptions>) =>
    createProviders({
      fetch: given.fetch ?? fetch,
      credentials,
      options: (provider) => configured[provider] ?? {},
      log: silentLog,
      ...(given.findProgram === undefined ? {} : { findProgram: given.findProgram }),
    });
  return {
    providers: open(options),
    /** The same user with another configuration. */
    open,
    credentials,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

async function check(attempt: Promise<unknown>, expected: { tag: string; message: string; hint?: string }) {
  await expect(attempt).rejects.toMatchObject(expected);
}

const signal = new AbortController().signal;
const interaction = { openUrl: () => {}, showDeviceCode: () => {} };

describe("a key", () => {
  test("connects a provider and is bound to its server", async () => {
    await using api = await modelServer();
    await using other = await modelServer();
    await using user = await setUp({ options: { anthropic: { baseURL: `${api.url}/v1/` } } });
    await user.providers.connect("anthropic", { method: "api", key: " sk-1\n" });
    const ref = { provider: "anthropic", model: "m" };
    expect(await readModel(await user.providers.languageModel(ref))).toBe("hello");
    expect(api.requests[0]?.headers["x-api-key"]).toBe("sk-1");
    const moved = user.open({ anthropic: { baseURL: `${other.url}/v1` } });
    expect(await moved.isConnected("anthropic")).toBe(false);
    await check(moved.languageModel(ref), {
      tag: "ProviderNotConnected",
      message: `the stored key of anthropic is for ${api.url}/v1, not for ${other.url}/v1`,
      hint: "connect again: citewell connect -p anthropic",
    });
    expect(other.requests).toEqual([]);
  });

  test("stored by opencode is bound to the provider's own server", async () => {
    await using user = await setUp({ auth: { anthropic: { type: "api", key: "K" } } });
    expect(await user.providers.isConnected("anthropic")).toBe(true);
    const moved = user.open({ anthropic: { baseURL: "https://gateway.example/v1" } });
    expect(await moved.isConnected("anthropic")).toBe(false);
  });

  test("of a compatible server is stored with its address", async () => {
    await using api = await modelServer();
    await using user = await setUp({ options: { "openai-compat": { name: "mine" } } });
    await user.providers.connect("openai-compat", { method: "api", key: "K", baseURL: `${api.url}/v1` });
    const model = await user.providers.languageModel({ provider: "openai-compat", model: "m" });
    expect(await readModel(model)).toBe("hello");
    expect(api.requests[0]?.headers.authorization).toBe("Bearer K");
  });

  test("from the environment precedes the stored one", async () => {
    await using api = await modelServer();
    const options = { anthropic: { baseURL: `${api.url}/v1` } };
    await using user = await setUp({
      options,
      env: { ANTHROPIC_API_KEY: "of-the-environment" },
      auth: { anthropic: { type: "api", key: "stored" } },
    });
    await readModel(await user.providers.languageModel({ provider: "anthropic", model: "m" }));
    expect(api.requests[0]?.headers["x-api-key"]).toBe("of-the-environment");
  });

  test.each(["", "  ", "two words", "line\nend", "schlüssel"])(
    "is not taken when it cannot be one: %j",
    async (key) => {
      await using user = await setUp();
      await check(user.providers.connect("anthropic", { method: "api", key }), {
        tag: "InvalidRequest",
        message: "invalid key for anthropic: it is empty, or contains spaces or special characters",
      });
      expect(await user.credentials.list()).toEqual([]);
    },
  );

  test.each([
    ["github-copilot", "InvalidRequest", "the provider github-copilot takes no key"],
    ["builtin", "InvalidRequest", "the provider builtin takes no key"],
    ["vscode", "ProviderNotConnected", "the provider vscode is available only inside the editor"],
    ["nobody", "ProviderNotFound", 'no provider "nobody"'],
    ["openai-compat", "InvalidRequest", "no server is configured for the key of openai-compat"],
  ])("is not taken for %s", async (provider, tag, message) => {
    await using user = await setUp();
    await check(user.providers.connect(provider, { method: "api", key: "K" }), { tag, message });
  });
});

describe("disconnect", () => {
  test("removes the stored credential and reports a remaining variable", async () => {
    await using user = await setUp({
      env: { ANTHROPIC_API_KEY: "K" },
      auth: { anthropic: { type: "api", key: "K" }, mistral: { type: "api", key: "K" } },
    });
    expect(await user.providers.disconnect("anthropic")).toEqual({ removed: true, variable: "ANTHROPIC_API_KEY" });
    expect(await user.providers.disconnect("openai")).toEqual({ removed: false, variable: undefined });
    expect(await user.credentials.list()).toEqual(["mistral"]);
  });
});

describe("a sign-in without a built-in client", () => {
  const own = (provider: string) =>
    `give an OAuth client of your own: citewell connect -p ${provider} --client-id <id>`;

  test.each([
    ["openai", `sign in with opencode: opencode auth login; or give a key; or ${own("openai")}`],
    ["github-copilot", `sign in with opencode: opencode auth login; or ${own("github-copilot")}`],
    ["google", `give a key; or ${own("google")}`],
  ])("hints at alternatives for %s", async (provider, hint) => {
    await using user = await setUp();
    await check(user.providers.connect(provider, { method: "oauth", interaction, signal }), {
      tag: "ProviderNotConnected",
      message: `Citewell has no OAuth client of its own at ${provider}`,
      hint,
    });
  });

  test("is not offered without a sign-in definition", async () => {
    await using user = await setUp();
    await check(user.providers.connect("anthropic", { method: "oauth", interaction, signal }), {
      tag: "InvalidRequest",
      message: "the provider anthropic has no sign-in",
    });
  });

  const offer = (providers: Providers) =>
    Promise.all(
      ["openai", "github-copilot", "google", "anthropic"].map(
        async (provider) => (await providers.signInOffer(provider)).type,
      ),
    );
  const authOf = async (providers: Providers) =>
    (await providers.list())
      .filter(({ id }) => ["openai", "github-copilot", "google"].includes(id))
      .map(({ auth, takesClient }) => `${auth.join(" ")}${takesClient === true ? ", takes a client" : ""}`);

  test("offers opencode if it is installed and its sign-in works", async () => {
    await using user = await setUp({ findProgram: async (name) => `/usr/bin/${name}` });
    expect(await offer(user.providers)).toEqual(["opencode", "opencode", "own-client", "none"]);
    expect(await authOf(user.providers)).toEqual([
      "oauth api, takes a client",
      "oauth, takes a client",
      "api, takes a client",
    ]);
  });

  test("does not offer opencode if it is missing", async () => {
    await using user = await setUp();
    expect(await offer(user.providers)).toEqual(["own-client", "own-client", "own-client", "none"]);
    expect(await authOf(user.providers)).toEqual(["api, takes a client", ", takes a client", "api, takes a client"]);
  });

  test("uses the user's stored client, which disconnect keeps", async () => {
    await using user = await setUp();
    await user.providers.keepClient("github-copilot", { clientId: "mine" });
    await user.providers.disconnect("github-copilot");
    expect(await offer(user.open({}))).toEqual(["own-client", "device", "own-client", "none"]);
    expect(await authOf(user.open({}))).toEqual(["api, takes a client", "oauth", "api, takes a client"]);
    await user.providers.keepClient("github-copilot", undefined);
    expect(await offer(user.providers)).toEqual(["own-client", "own-client", "own-client", "none"]);
  });

  test.each([
    ["anthropic", "mine", "the provider anthropic has no sign-in"],
    ["openai", "two words", "invalid client id for openai: it is empty, too long or contains spaces"],
    ["google", "mine", "the global configuration names another client for google: ours"],
  ])("refuses a client for %s that could not count: %j", async (provider, clientId, message) => {
    await using user = await setUp({ options: { google: { oauth: { clientId: "ours" } } } });
    await check(user.providers.keepClient(provider, { clientId }), { tag: "InvalidRequest", message });
  });

  test("uses a configured client", async () => {
    await using user = await setUp();
    const configured = user.open({
      openai: { oauth: { clientId: "ours" } },
      "github-copilot": { oauth: { clientId: "ours" } },
      google: { oauth: { clientId: "ours" } },
    });
    expect(await offer(configured)).toEqual(["browser", "device", "browser", "none"]);
  });

  test("uses the built-in endpoints with the configured client", async () => {
    await using user = await setUp();
    const providers = user.open({ openai: { oauth: { clientId: "ours" } }, google: { oauth: { clientId: "ours" } } });
    const urls: string[] = [];
    for (const provider of ["openai", "google"]) {
      const controller = new AbortController();
      const openUrl = (url: string) => {
        const { origin, pathname, searchParams } = new URL(url);
        urls.push(`${origin}${pathname} ${searchParams.get("client_id")} ${searchParams.get("access_type")}`);
        controller.abort();
      };
      const method = { method: "oauth", interaction: { ...interaction, openUrl }, signal: controller.signal } as const;
      await expect(providers.connect(provider, method)).rejects.toMatchObject({ name: "AbortError" });
    }
    expect(urls).toEqual([
      "https://auth.openai.com/oauth/authorize ours null",
      "https://accounts.google.com/o/oauth2/v2/auth ours offline",
    ]);
  });
});

describe("a sign-in stored by opencode", () => {
  /** Redirects every request to loopback and records it in `asked`. */
  async function ask(provider: string, model: string, entry: object) {
    await using api = await modelServer();
    const asked: string[] = [];
    await using user = await setUp({
      auth: { [provider]: { type: "oauth", expires: Date.now() + 3_600_000, ...entry } },
      fetch(input, init) {
        const url = new URL(input instanceof Request ? input.url : input);
        asked.push(url.href);
        return fetch(`${api.url}${url.pathname}${url.search}`, init);
      },
    });
    const text = await readModel(await user.providers.languageModel({ provider, model }));
    return {
      text,
      url: asked[0],
      request: api.requests[0],
      pricing: await user.providers.pricing({ provider, model }),
    };
  }

  test("uses ChatGPT's API with the account's plan", async () => {
    const entry = { access: "T", refresh: "R", accountId: "acc-1" };
    const { text, url, request, pricing } = await ask("openai", "gpt-5", entry);
    expect([text, url]).toEqual(["hello", "https://chatgpt.com/backend-api/codex/responses"]);
    expect(request?.headers).toMatchObject({
      authorization: "Bearer T",
      "chatgpt-account-id": "acc-1",
      originator: "citewell",
    });
    expect(request?.body).toMatchObject({
      model: "gpt-5",
      store: false,
      instructions: "be brief",
      input: [{ role: "user" }],
    });
    expect(pricing).toEqual({ type: "free" });
  });

  test.each([
    ["gpt-5", "https://api.githubcopilot.com/responses", {}],
    ["claude-sonnet-4.5", "https://api.githubcopilot.com/chat/completions", {}],
    ["gpt-4.1", "https://copilot-api.git.example.com/chat/completions", { enterpriseUrl: "https://git.example.com/" }],
  ])("asks GitHub Copilot for %s", async (model, expected, entry) => {
    const { text, url, request } = await ask("github-copilot", model, {
      access: "",
      refresh: "T",
      expires: 0,
      ...entry,
    });
    expect([text, url]).toEqual(["hello", expected]);
    expect(request?.headers).toMatchObject({ authorization: "Bearer T", "x-initiator": "user" });
  });

  describe("is renewed", () => {
    const jwt = (claims: object) => `h.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.s`;

    /** OpenAI on loopback: sign-in server and API. `grants` are the token requests. */
    async function renew({ access, clientId, options }: Renewal) {
      await using api = await modelServer();
      const grants: object[] = [];
      await using user = await setUp({
        auth: { openai: { type: "oauth", access, refresh: "R1", expires: Date.now() - 1, accountId: "acc-1" } },
        ...(options === undefined ? {} : { options }),
        fetch(input, init) {
          const url = new URL(input instanceof Request ? input.url : input);
          if (url.pathname !== "/oauth/token") return fetch(`${api.url}${url.pathname}${url.search}`, init);
          const sent = init?.body instanceof URLSearchParams ? Object.fromEntries(init.body) : {};
          grants.push({ host: url.host, ...sent });
          const tokens = { access_token: "T2", refresh_token: "R2", token_type: "bearer", expires_in: 3600 };
          return Promise.resolve(Response.json(tokens));
        },
      });
      if (clientId !== undefined) await user.providers.keepClient("openai", { clientId });
      const text = await readModel(await user.providers.languageModel({ provider: "openai", model: "gpt-5" }));
      const stored = await user.credentials.get("openai");
      return { text, grants, stored, authorization: api.requests[0]?.headers.authorization };
    }

    interface Renewal {
      access: string;
      clientId?: string;
      options?: Record<string, ProviderOptions>;
    }

    const granted = (clientId: string) => [
      { host: "auth.openai.com", grant_type: "refresh_token", refresh_token: "R1", client_id: clientId },
    ];

    test("with the client named in its token, and stays opencode's entry", async () => {
      const { text, grants, stored, authorization } = await renew({
        access: jwt({ client_id: "app_opencode" }),
        clientId: "mine",
      });
      expect([text, authorization]).toEqual(["hello", "Bearer T2"]);
      expect(grants).toEqual(granted("app_opencode"));
      expect(stored).toEqual({
        credential: {
          type: "oauth",
          access: "T2",
          refresh: "R2",
          expires: expect.any(Number),
          accountId: "acc-1",
        },
        connection: undefined,
      });
    });

    test("with the user's own client if the token names none", async () => {
      expect((await renew({ access: "T1", clientId: "mine" })).grants).toEqual(granted("mine"));
    });

    test("only at the provider's own sign-in server", async () => {
      const oauth = { clientId: "ours", tokenEndpoint: "https://login.example.com/oauth/token" };
      await check(renew({ access: "T1", options: { openai: { oauth } } }), {
        tag: "ProviderNotConnected",
        message: "the sign-in to openai has ended",
      });
    });
  });

  test("ends if no client can renew it", async () => {
    await check(ask("openai", "gpt-5", { access: "T", refresh: "R", expires: Date.now() - 1 }), {
      tag: "ProviderNotConnected",
      message: "the sign-in to openai has ended",
      hint: "sign in again: citewell connect -p openai (or opencode auth login, where you signed in with it)",
    });
  });

  test("is ignored if the provider does not allow it", async () => {
    await using user = await setUp({
      auth: {
        anthropic: { type: "oauth", access: "T", refresh: "R", expires: 0 },
        google: { type: "oauth", access: "T", refresh: "R", expires: 0 },
      },
    });
    expect(await user.providers.isConnected("anthropic")).toBe(false);
    expect(await user.providers.isConnected("google")).toBe(false);
  });
});

test("a broken store fails providers that need it, but not the built-in one", async () => {
  await using user = await setUp({ auth: [] });
  await expect(user.providers.languageModel({ provider: "anthropic", model: "m" })).rejects.toMatchObject({
    tag: "CredentialsInvalid",
  });
  expect(await user.providers.isConnected("anthropic")).toBe(false);
  expect(await user.providers.isConnected("builtin")).toBe(true);
});
