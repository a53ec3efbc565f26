import { generateKeyPairSync } from "node:crypto";
import {
  Client as CurrentClient,
  StreamableHTTPClientTransport as CurrentTransport,
} from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { importJWK, UnsecuredJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listAudit } from "../../../../server/hosted/tenants/audit.ts";
import { addMember, changeRole } from "../../../../server/hosted/tenants/members.ts";
import { createProject } from "../../../../server/hosted/tenants/projects.ts";
import type { Role } from "../../../../server/protocol/hosted-accounts.ts";
import { allTools, askingTools, readingTools } from "../../../support/hosted-tools.ts";
import { createBrowser } from "../../../support/browser.ts";
import { startService, type TestService } from "../../../support/hosted.ts";
import { agentScopes, type SignInProvider, signInProvider } from "../../../support/sign-in-provider.ts";
import { testEngines } from "../../../support/stores.ts";

const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
const now = () => Math.floor(Date.now() / 1000);

describe.each(testEngines())("access tokens on $name", (engine) => {
  let provider: SignInProvider;
  let service: TestService;
  let account: string;
  beforeAll(async () => {
    provider = await signInProvider();
    ({ service, account } = await startWithMember(provider));
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  });

  /** A service where Ann has signed in on the web pages once. */
  async function startWithMember({ issuer, clientId, clientSecret }: SignInProvider) {
    const oidc = { issuer, clientId, clientSecret, domains: ["example.com"] };
    const started = await startService(await engine.createDatabase(), { oidc });
    provider.person = { subject: "ann", email: "ann@example.com", isVerified: true };
    await createBrowser().open(new URL("/sign-in/provider", started.url).href);
    const { rows } = await started.store.query("select account::text from identity where subject = 'ann'");
    return { service: started, account: String(rows[0]?.["account"]) };
  }

  const claims = () => ({ iss: provider.issuer, sub: "ann", aud: service.url, exp: now() + 600 });

  test("the metadata names the resource and the provider, at both addresses", async () => {
    for (const path of ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/api/mcp"]) {
      const response = await fetch(new URL(path, service.url));
      expect([response.status, await response.json()]).toEqual([
        200,
        {
          resource: service.url,
          authorization_servers: [provider.issuer],
          bearer_methods_supported: ["header"],
          resource_name: "Citewell",
        },
      ]);
    }
    await using without = await startService(await engine.createDatabase());
    expect((await fetch(new URL("/.well-known/oauth-protected-resource", without.url))).status).toBe(404);
  });

  test("a request without a key is pointed to the metadata, and keys still work", async () => {
    const refused = await service.send("", ping, { headers: { "content-type": "application/json" } });
    const metadata = new URL("/.well-known/oauth-protected-resource/api/mcp", service.url).href;
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([
      401,
      `Bearer resource_metadata="${metadata}"`,
    ]);
    expect((await service.send(await service.key(), ping)).status).toBe(200);
  });

  test("a token of a member is accepted, and what it does is in the audit log under the account", async () => {
    await changeRole(service.store, { project: service.project, account, role: "admin", actor: "operator" });
    const token = await provider.sign(claims());
    expect(await service.call(token, "addResource", { type: "npm", name: "zod", package: "zod" })).toMatchObject({
      isError: false,
    });
    const audit = await listAudit(service.store, service.project.id);
    expect(audit).toContainEqual(expect.objectContaining({ action: "resource.added", actor: `account:${account}` }));
  });

  test.each<[string, () => Promise<string>, string]>([
    ["another audience", () => provider.sign({ ...claims(), aud: "https://other.example/api/mcp" }), "not issued for"],
    ["the client id as its audience", () => provider.sign({ ...claims(), aud: provider.clientId }), "not issued for"],
    ["no audience", () => provider.sign({ ...claims(), aud: [] }), "not issued for"],
    ["another issuer", () => provider.sign({ ...claims(), iss: "https://id.example" }), "not issued by"],
    ["an expiry in the past", () => provider.sign({ ...claims(), exp: now() - 60 }), "has expired"],
    ["no expiry", () => provider.sign({ iss: provider.issuer, sub: "ann", aud: service.url }), "its claim exp"],
    ["a beginning in the future", () => provider.sign({ ...claims(), nbf: now() + 600 }), "its claim nbf"],
    ["no subject", () => provider.sign({ iss: provider.issuer, aud: service.url, exp: now() + 60 }), "its claim sub"],
    ["no signature", async () => new UnsecuredJWT(claims()).encode(), "not valid"],
    ["the signature of another key", () => otherKey({}), "signature verification failed"],
    ["an unknown key", () => otherKey({ kid: "second" }), "no applicable key"],
    ["a changed claim", async () => changed(await provider.sign(claims())), "signature verification failed"],
    ["no JSON in it", async () => "a.b.c", "not valid"],
  ])("a token with %s is 401", async (_name, make, text) => {
    const response = await service.send(await make(), ping);
    expect([response.status, response.headers.get("www-authenticate")]).toEqual([
      401,
      expect.stringMatching(/^Bearer error="invalid_token", resource_metadata="/),
    ]);
    expect(await response.json()).toEqual({ error: "TokenInvalid", message: expect.stringContaining(text) });
  });

  async function otherKey(header: { kid?: string }): Promise<string> {
    const jwk = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" });
    const key = await importJWK({ ...jwk, kty: "EC" }, "ES256");
    if (key instanceof Uint8Array) throw new Error("a key pair was expected");
    return provider.sign(claims(), header, key);
  }

  test("unknown keys do not make the service fetch the provider's keys again and again", async () => {
    const tokens = await Promise.all(["a", "b", "c", "d"].map((kid) => otherKey({ kid })));
    const before = provider.keyRequests();
    for (const token of tokens) expect((await service.send(token, ping)).status).toBe(401);
    expect(provider.keyRequests() - before).toBeLessThanOrEqual(1);
    expect(provider.keyRequests()).toBeGreaterThan(0);
  });

  test("someone who is not a member is 403", async () => {
    for (const sub of ["stranger", provider.agentClientId]) {
      const response = await service.send(await provider.sign({ ...claims(), sub }), ping);
      expect([response.status, await response.json()]).toEqual([
        403,
        { error: "OperationNotAllowed", message: expect.stringContaining("not a member of a project") },
      ]);
    }
  });

  test.each<[Role, string[]]>([
    ["member", askingTools],
    ["admin", allTools],
    ["owner", allTools],
  ])("the role %s decides on the tools", async (role, tools) => {
    await service.store.query("update member set role = $1 where account = $2", [role, account]);
    expect(await toolsOf(await provider.sign(claims()))).toEqual(tools);
  });

  test("the first use of each client by a person is in the audit log, once", async () => {
    const clients = [{ client_id: "editor" }, { azp: "terminal" }, { appid: "script" }, {}];
    const tokens = await Promise.all(clients.map((client) => provider.sign({ ...claims(), ...client })));
    const again = await Promise.all(clients.map((client) => provider.sign({ ...claims(), ...client, jti: "again" })));
    for (const token of again) expect((await service.send(token, ping)).status).toBe(200);
    const statuses = await Promise.all([...tokens, ...tokens].map((token) => service.send(token, ping)));
    expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([200]));
    const uses = (await listAudit(service.store, service.project.id)).filter(
      ({ action }) => action === "client.first-used",
    );
    expect(new Set(uses.map(({ actor }) => actor))).toEqual(new Set([`account:${account}`]));
    expect(uses).toHaveLength(clients.length);
    expect(new Set(uses.map(({ target }) => target))).toEqual(new Set(["editor", "script", "terminal", "unknown"]));
  });

  test.each([
    ["scope", "openid citewell:read citewell:manage"],
    ["scp", "openid citewell:read citewell:manage"],
    ["scp", ["openid", "citewell:read", "citewell:manage"]],
  ])("the token's scopes, here %s %j, take away from what the role allows, and add nothing", async (claim, scopes) => {
    const reading = await provider.sign({ ...claims(), [claim]: scopes });
    await service.store.query("update member set role = 'member' where account = $1", [account]);
    expect(await toolsOf(reading)).toEqual(readingTools);
    const refused = await service.send(reading, {
      ...ping,
      method: "tools/call",
      params: { name: "sync", arguments: {} },
    });
    expect(refused.status).toBe(403);
  });

  async function toolsOf(token: string): Promise<string[]> {
    const client = new Client({ name: "test", version: "1" });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(service.url), { requestInit }));
    const { tools } = await client.listTools();
    await client.close();
    return tools.map(({ name }) => name).toSorted((a, b) => (a < b ? -1 : 1));
  }

  test("a member of several projects names one", async () => {
    const second = await createProject(service.store, `second-${crypto.randomUUID().slice(0, 8)}`);
    await service.store.tx((queries) => addMember(queries, second.id, { account, role: "member" }));
    const token = await provider.sign(claims());
    const unnamed = await service.send(token, ping);
    expect([unnamed.status, await unnamed.text()]).toEqual([403, expect.stringContaining("several projects")]);
    expect((await service.send(token, { ...ping, params: { project: second.name } })).status).toBe(200);
    const url = `${service.url}?project=${second.name}`;
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const body = JSON.stringify(ping);
    expect((await fetch(url, { method: "POST", headers, body })).status).toBe(200);
    expect((await service.send(token, { ...ping, params: { project: "another" } })).status).toBe(403);
    await service.store.query("delete from project where id = $1", [second.id]);
  });

  test("calls are limited for each account", async () => {
    await using limited = await startService(await engine.createDatabase(), {
      oidc: {
        issuer: provider.issuer,
        clientId: provider.clientId,
        clientSecret: provider.clientSecret,
        domains: ["example.com"],
      },
      rateLimit: { perMinute: 2 },
    });
    await createBrowser().open(new URL("/sign-in/provider", limited.url).href);
    const statuses: number[] = [];
    for (let call = 0; call < 3; call++) {
      const token = await provider.sign({ ...claims(), aud: limited.url, jti: String(call) });
      statuses.push((await limited.send(token, ping)).status);
    }
    expect(statuses).toEqual([200, 200, 429]);
  });

  test("a provider that is away is reported as such, and not as a fault of the token", async () => {
    const gone = await signInProvider();
    const oidc = { issuer: gone.issuer, clientId: gone.clientId, domains: [] };
    await using alone = await startService(await engine.createDatabase(), { oidc });
    await gone[Symbol.asyncDispose]();
    const response = await alone.send(await provider.sign(claims()), ping);
    expect([response.status, await response.json()]).toMatchObject([502, { error: "ServerUnreachable" }]);
  });

  test.each(["", agentScopes])("official clients sign in with a provider whose scopes are %j", async (scopes) => {
    await using team = await signInProvider({ scopes });
    team.person = { subject: "ann", email: "ann@example.com", isVerified: true };
    const oidc = {
      issuer: team.issuer,
      clientId: team.clientId,
      clientSecret: team.clientSecret,
      domains: ["example.com"],
    };
    await using hosted = await startService(await engine.createDatabase(), { oidc });
    await createBrowser().open(new URL("/sign-in/provider", hosted.url).href);

    const older = agentSignIn(team);
    const first = new StreamableHTTPClientTransport(new URL(hosted.url), { authProvider: older.provider });
    await expect(new Client({ name: "test", version: "1" }).connect(first)).rejects.toThrow("Unauthorized");
    await first.finishAuth((await older.redirected()).get("code") ?? "");
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(hosted.url), { authProvider: older.provider }));
    const listed = { name: "listResources", arguments: {} };
    expect(await client.callTool(listed)).toMatchObject({ isError: false });
    await expect(client.callTool({ name: "sync", arguments: {} })).rejects.toThrow("needs the scope manage");
    await client.close();

    const newer = agentSignIn(team);
    const options = { versionNegotiation: { mode: "auto" } } as const;
    const start = new CurrentTransport(new URL(hosted.url), { authProvider: newer.provider });
    await expect(new CurrentClient({ name: "test", version: "1" }, options).connect(start)).rejects.toThrow(
      "Unauthorized",
    );
    await start.finishAuth(await newer.redirected());
    const current = new CurrentClient({ name: "test", version: "1" }, options);
    await current.connect(new CurrentTransport(new URL(hosted.url), { authProvider: newer.provider }));
    expect(current.getNegotiatedProtocolVersion()).toBe("2026-07-28");
    expect(await current.callTool(listed)).toMatchObject({ isError: false });
    await current.close();
  });
});

function changed(token: string): string {
  const [header = "", payload = "", signature = ""] = token.split(".");
  const other = { ...JSON.parse(Buffer.from(payload, "base64url").toString()), exp: now() + 6000 };
  return [header, Buffer.from(JSON.stringify(other)).toString("base64url"), signature].join(".");
}

/** What an agent keeps of a sign-in: its client id is registered with the provider beforehand. */
function agentSignIn({ issuer, agentClientId }: SignInProvider): {
  provider: OAuthClientProvider;
  /** Signs in, and returns the parameters of the redirect. */
  redirected: () => Promise<URLSearchParams>;
} {
  let verifier = "";
  let authorizationUrl: URL | undefined;
  let tokens: Awaited<ReturnType<OAuthClientProvider["tokens"]>>;
  const redirectUrl = "http://127.0.0.1:1/callback";
  return {
    provider: {
      redirectUrl,
      // The scope is requested where the service's metadata has none: this provider refuses a request without any.
      clientMetadata: { redirect_uris: [redirectUrl], token_endpoint_auth_method: "none", scope: "openid" },
      clientInformation: () => ({ client_id: agentClientId, issuer }),
      tokens: () => tokens,
      saveTokens: (saved) => {
        tokens = saved;
      },
      redirectToAuthorization: (url) => {
        authorizationUrl = url;
      },
      saveCodeVerifier: (saved) => {
        verifier = saved;
      },
      codeVerifier: () => verifier,
    },
    async redirected() {
      const page = await createBrowser().open(authorizationUrl?.href ?? "", redirectUrl);
      return new URL(page.url).searchParams;
    },
  };
}
