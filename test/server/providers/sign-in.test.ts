import path from "node:path";
import { describe, expect, test } from "vitest";
import { silentLog } from "../../../server/lib/log.ts";
import type { OAuthOptions } from "../../../server/protocol/config.ts";
import { createCredentials, type Credential } from "../../../server/providers/credentials.ts";
import type { Interaction } from "../../../server/providers/oauth.ts";
import { createProviders } from "../../../server/providers/providers.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { modelServer, type Override } from "../../support/model-server.ts";
import { oauthServer } from "../../support/oauth-server.ts";
import { readModel } from "../../support/read-model.ts";

interface SetUp {
  oauth?: OAuthOptions;
  tokenSeconds?: number;
  override?: Override;
  signInTimeoutMs?: number;
  env?: Record<string, string>;
  fetch?: typeof globalThis.fetch;
}

/** The provider google with an OAuth server and an API on loopback. */
async function setUp({ oauth, tokenSeconds, override, signInTimeoutMs, env = {}, ...given }: SetUp = {}) {
  const folder = await temporaryFolder();
  const server = await oauthServer(tokenSeconds === undefined ? {} : { tokenSeconds });
  const api = await modelServer(override === undefined ? {} : { override });
  const { issuer, clientId } = server;
  const credentials = createCredentials({
    file: path.join(folder.path, "auth.json"),
    connectionsFile: path.join(folder.path, "connections.json"),
    env,
    log: silentLog,
  });
  const providers = createProviders({
    fetch: given.fetch ?? fetch,
    credentials,
    options: () => ({
      baseURL: `${api.url}/v1beta`,
      oauth: { issuer, clientId, scopes: ["openid", "offline_access"], ...oauth },
    }),
    log: silentLog,
    ...(signInTimeoutMs === undefined ? {} : { signInTimeoutMs }),
  });
  const signal = new AbortController().signal;
  return {
    server,
    api,
    credentials,
    providers,
    connect: (interaction: Partial<Interaction>, given: AbortSignal = signal) =>
      providers.connect("google", { method: "oauth", interaction: { ...nothingShown, ...interaction }, signal: given }),
    ask: async () => readModel(await providers.languageModel({ provider: "google", model: "m" })),
    async [Symbol.asyncDispose]() {
      await api[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const nothingShown: Interaction = {
  openUrl: () => Promise.reject(new Error("no page was expected")),
  showDeviceCode: () => Promise.reject(new Error("no code was expected")),
};

type World = Awaited<ReturnType<typeof setUp>>;

async function signIn(world: World) {
  const pages: Promise<string>[] = [];
  await world.connect({ openUrl: (url) => void pages.push(world.server.browse(url)) });
  return Promise.all(pages);
}

async function check(world: World, attempt: Promise<unknown>, expected: object) {
  await expect(attempt).rejects.toMatchObject(expected);
  await expect(world.providers.isConnected("google")).resolves.toBe(false);
}

describe("in the browser", () => {
  test("signs in with PKCE and sends the token instead of a key", async () => {
    await using world = await setUp();
    expect(await signIn(world)).toEqual(["Citewell received the response. You can close this page."]);
    expect(world.server.grants).toEqual(["authorization_code"]);
    expect(await world.providers.isConnected("google")).toBe(true);
    expect(await world.ask()).toBe("hello");
    const stored = await world.credentials.get("google");
    expect(stored?.connection).toEqual({ baseURL: `${world.api.url}/v1beta`, clientId: world.server.clientId });
    expect(world.api.requests[0]?.headers).toMatchObject({ authorization: `Bearer ${accessOf(stored?.credential)}` });
    expect(world.api.requests[0]?.headers["x-goog-api-key"]).toBeUndefined();
  });

  test("reports denied consent", async () => {
    await using world = await setUp();
    world.server.decide("deny");
    const pages: Promise<string>[] = [];
    await check(world, world.connect({ openUrl: (url) => void pages.push(world.server.browse(url)) }), {
      tag: "ProviderRefused",
      message: "the sign-in to google was refused (access_denied: ann said no)",
      hint: "try again: citewell connect -p google",
    });
    expect(await Promise.all(pages)).toEqual(["You are not signed in. You can close this page."]);
  });

  test("rejects a response with another state and accepts the next valid one", async () => {
    await using world = await setUp();
    const pages: Promise<string>[] = [];
    const openUrl = async (url: string) => {
      const redirect = new URL(url).searchParams.get("redirect_uri") ?? "";
      const forged = await fetch(`${redirect}?code=stolen&state=wrong`);
      expect([forged.status, await forged.text()]).toEqual([
        400,
        "This response does not belong to the current sign-in. Start again.",
      ]);
      expect((await fetch(new URL("/favicon.ico", redirect))).status).toBe(404);
      pages.push(world.server.browse(url));
    };
    await world.connect({ openUrl });
    await Promise.all(pages);
    expect(await world.providers.isConnected("google")).toBe(true);
  });

  test("rejects the code of another sign-in", async () => {
    await using world = await setUp();
    const openUrl = async (url: string) => {
      const { searchParams } = new URL(url);
      const answer = new URLSearchParams({
        code: "stolen",
        state: searchParams.get("state") ?? "",
        iss: world.server.issuer,
      });
      await fetch(`${searchParams.get("redirect_uri")}?${answer.toString()}`);
    };
    await check(world, world.connect({ openUrl }), {
      tag: "ProviderNotConnected",
      message: "google does not accept the sign-in (invalid_grant: grant request is invalid)",
    });
  });

  test("releases its port when cancelled", async () => {
    await using world = await setUp();
    const controller = new AbortController();
    let redirect = "";
    const openUrl = (url: string) => {
      redirect = new URL(url).searchParams.get("redirect_uri") ?? "";
      controller.abort();
    };
    await check(world, world.connect({ openUrl }, controller.signal), { name: "AbortError" });
    await expect(fetch(redirect)).rejects.toThrow("fetch failed");
  });

  test("times out without a response", async () => {
    await using world = await setUp({ signInTimeoutMs: 50 });
    await check(world, world.connect({ openUrl: () => {} }), {
      tag: "ProviderTimeout",
      message: "the sign-in to google was not finished within 0.05 seconds",
    });
  });

  test("reports a registered port in use", async () => {
    await using other = await modelServer();
    const { host } = new URL(other.url);
    await using world = await setUp({ oauth: { redirectUri: `http://${host}/callback` } });
    await check(world, world.connect({}), {
      tag: "ProviderFailed",
      message: `cannot listen at ${host} for the sign-in to google: listen EADDRINUSE: address already in use ${host}`,
    });
  });
});

describe("with a device code", () => {
  const oauth = { flow: "device" } as const;

  test("signs in after the user enters the code", async () => {
    await using world = await setUp({ oauth });
    const pages: Promise<string>[] = [];
    const codes: string[] = [];
    await world.connect({
      showDeviceCode({ url, code }) {
        codes.push(code);
        pages.push(world.server.typeCode(url));
      },
    });
    expect(codes).toEqual([expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/)]);
    expect(await Promise.all(pages)).toEqual(["signed in"]);
    expect(await world.ask()).toBe("hello");
  });

  test("reports denied consent", async () => {
    await using world = await setUp({ oauth });
    world.server.decide("deny");
    const pages: Promise<string>[] = [];
    await check(world, world.connect({ showDeviceCode: ({ url }) => void pages.push(world.server.typeCode(url)) }), {
      tag: "ProviderRefused",
    });
    await Promise.all(pages);
  });

  test("keeps polling a server that returns errors with 200, as GitHub does", async () => {
    let link = "";
    let page: Promise<string> | undefined;
    await using world = await setUp({
      oauth,
      async fetch(input, init) {
        const response = await fetch(input, init);
        if (response.status !== 400) return response;
        // Approve the code after the first unsuccessful poll.
        page ??= world.server.typeCode(link);
        return new Response(await response.text(), { status: 200, headers: response.headers });
      },
    });
    await world.connect({
      showDeviceCode({ url }) {
        link = url;
      },
    });
    expect(await page).toBe("signed in");
  });

  test("can be cancelled", async () => {
    await using world = await setUp({ oauth });
    const controller = new AbortController();
    const attempt = world.connect({ showDeviceCode: () => controller.abort() }, controller.signal);
    await check(world, attempt, { name: "AbortError" });
  });
});

describe("an existing sign-in", () => {
  test("is renewed before expiry, once for concurrent callers, and its refresh token is stored", async () => {
    await using world = await setUp({ tokenSeconds: 30 });
    await signIn(world);
    const before = await world.credentials.get("google");
    expect(await Promise.all([world.ask(), world.ask(), world.ask()])).toEqual(["hello", "hello", "hello"]);
    expect(world.server.grants).toEqual(["authorization_code", "refresh_token"]);
    const after = await world.credentials.get("google");
    expect(after?.credential).not.toEqual(before?.credential);
    expect(after?.connection).toEqual(before?.connection);
    await world.ask();
    expect(world.server.grants.filter((grant) => grant === "refresh_token")).toHaveLength(2);
  });

  test("is renewed once after a 401", async () => {
    const refused = new Set<string>();
    await using world = await setUp({
      override({ headers }) {
        const isFirst = refused.size === 0;
        if (isFirst) refused.add(headers.authorization ?? "");
        return refused.has(headers.authorization ?? "") ? { status: 401 } : undefined;
      },
    });
    await signIn(world);
    expect(await world.ask()).toBe("hello");
    expect(world.server.grants).toEqual(["authorization_code", "refresh_token"]);
  });

  test("ends after a second 401", async () => {
    await using world = await setUp({ override: () => ({ status: 401 }) });
    await signIn(world);
    await expect(world.ask()).rejects.toMatchObject({
      tag: "ProviderNotConnected",
      message: "the sign-in to google has ended",
    });
    expect(world.api.requests).toHaveLength(2);
  });

  test("ends when revoked, with a hint to sign in again", async () => {
    await using world = await setUp({ tokenSeconds: 30 });
    await signIn(world);
    await world.server.revokeAll();
    await expect(world.ask()).rejects.toMatchObject({
      tag: "ProviderNotConnected",
      message: "google does not accept the sign-in (invalid_grant: grant request is invalid)",
      hint: "sign in again: citewell connect -p google",
    });
    expect(world.api.requests).toEqual([]);
  });

  test("uses a token renewed by another process", async () => {
    await using world = await setUp({
      override: ({ headers }) => (headers.authorization === "Bearer fresh" ? undefined : { status: 401 }),
    });
    await signIn(world);
    const model = await world.providers.languageModel({ provider: "google", model: "m" });
    const stored = await world.credentials.get("google");
    if (stored?.credential.type !== "oauth" || stored.connection === undefined) throw new Error("not signed in");
    await world.credentials.set("google", { ...stored.credential, access: "fresh" }, stored.connection);
    expect(await readModel(model)).toBe("hello");
    expect(world.server.grants).toEqual(["authorization_code"]);
  });

  test("is not sent to another server", async () => {
    await using world = await setUp();
    await signIn(world);
    const elsewhere = createProviders({
      fetch,
      credentials: world.credentials,
      options: () => ({ baseURL: "http://127.0.0.1:1/v1beta" }),
      log: silentLog,
    });
    await expect(elsewhere.languageModel({ provider: "google", model: "m" })).rejects.toMatchObject({
      tag: "ProviderNotConnected",
      message: `the stored key of google is for ${world.api.url}/v1beta, not for http://127.0.0.1:1/v1beta`,
    });
  });
});

test("a client's secret comes from the environment", async () => {
  const sent: string[] = [];
  await using world = await setUp({
    oauth: { clientSecretVariable: "OUR_SECRET" },
    env: { OUR_SECRET: "s3cret" },
    fetch(input, init) {
      if (init?.body instanceof URLSearchParams) sent.push(init.body.get("client_secret") ?? "");
      return fetch(input, init);
    },
  });
  await expect(signIn(world)).rejects.toMatchObject({ tag: "ProviderFailed" });
  expect(sent).toEqual(["s3cret"]);
});

test("reports a missing endpoint", async () => {
  await using world = await setUp({ oauth: { tokenEndpoint: "https://login.example.com/token" } });
  await check(world, world.connect({}), {
    tag: "ProviderFailed",
    message: "the sign-in to google failed: providerOptions.google.oauth has no authorizationEndpoint",
  });
});

test("reports an unreachable sign-in server", async () => {
  const gone = await modelServer();
  await gone[Symbol.asyncDispose]();
  await using world = await setUp({ oauth: { issuer: gone.url } });
  await check(world, world.connect({}), {
    tag: "ProviderFailed",
    message: `the sign-in to google failed: connect ECONNREFUSED ${new URL(gone.url).host}`,
  });
});

function accessOf(credential: Credential | undefined): string {
  return credential?.type === "oauth" ? credential.access : "";
}
