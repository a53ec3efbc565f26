import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { addGitToken } from "../../../../server/hosted/secrets/git-tokens.ts";
import { createWebhook } from "../../../../server/hosted/secrets/webhooks.ts";
import { listTables, readRows } from "../../../../server/hosted/store/tables.ts";
import { createInvite, createOwnerLink } from "../../../../server/hosted/tenants/links.ts";
import { createPasswordLink } from "../../../../server/hosted/tenants/password-links.ts";
import { createLog } from "../../../../server/lib/log.ts";
import { readCommandLines } from "../../../support/command-lines.ts";
import { type GitServer, startGitServer } from "../../../support/git-server.ts";
import { startService, type TestService } from "../../../support/hosted.ts";
import { pageRoutes } from "../../../support/routes.ts";
import { type ScriptedModel, scriptedModel } from "../../../support/scripted-model.ts";
import { type SignInProvider, signInProvider } from "../../../support/sign-in-provider.ts";
import { testEngines } from "../../../support/stores.ts";
import { testPassword } from "../../../support/visitor.ts";

// Opening an embedded database takes seconds on a busy machine.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const gitToken = "ghp_kept0123456789abcdefghijklmnopqrst";
const modelKey = "sk-kept-0123456789abcdefghijklmnop";

describe.each(testEngines())("secrets of the service on $name", (engine) => {
  let git: GitServer;
  let model: ScriptedModel;
  let provider: SignInProvider;
  let service: TestService;
  const logged: string[] = [];
  const commandLines: string[] = [];
  beforeAll(async () => {
    git = await startGitServer();
    await git.commit("lib", { "a.js": "// otters\n" });
    git.intercept(async () => {
      commandLines.push(...(await readCommandLines()));
      return false;
    });
    // The second question fails, which is logged.
    model = await scriptedModel(["They swim [[lib:a.js#L1]].", { status: 401, body: { error: { message: "no" } } }]);
    provider = await signInProvider();
    const { issuer, clientId, clientSecret } = provider;
    service = await startService(await engine.createDatabase(), {
      config: { ...model.config, globalProviderOptions: model.config.providerOptions },
      modelEnv: { OPENAI_COMPAT_API_KEY: modelKey },
      oidc: { issuer, clientId, clientSecret, domains: [] },
      env: { SSL_CERT_FILE: git.caFile, NODE_EXTRA_CA_CERTS: git.caFile },
      log: createLog("debug", (line) => logged.push(line)),
    });
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
  });

  test("are in no log, page, row or command line, also after calls that fail", async () => {
    const { store, keys, project } = service;
    const owner = await createOwnerLink(store, project);
    const email = "ada@example.com";
    const joined = await fetch(new URL(`/link/${owner.token}`, service.url), {
      method: "POST",
      body: new URLSearchParams({ email, password: testPassword }),
      headers: { "sec-fetch-site": "same-origin" },
      redirect: "manual",
    });
    const [cookie = ""] = joined.headers.getSetCookie();
    const session = /^__Host-citewell=([\w-]{43});/.exec(cookie)?.[1] ?? "";
    const key = await service.key();
    const webhook = await createWebhook(store, { keys, project, actor: "operator" });
    const host = new URL(git.origin).host;
    await addGitToken({ store, keys, project, actor: "operator" }, { host, name: "ci", token: gitToken });
    const invite = await createInvite(store, project, { role: "member", actor: "operator" });
    const passwordLink = await createPasswordLink(store, email);
    const now = Math.floor(Date.now() / 1000);
    const accessToken = await provider.sign({ iss: provider.issuer, sub: "nobody", aud: service.url, exp: now + 600 });

    await service.call(key, "addResource", { type: "git", name: "lib", url: git.url("lib") });
    await service.untilFetched();
    expect(await service.call(key, "ask", { question: "Do they swim?" })).toMatchObject({
      isError: false,
      content: [{ text: expect.stringContaining("They swim") }],
    });
    expect(await service.call(key, "ask", { question: "Do they swim?" })).toMatchObject({ isError: true });
    const ofHistory: [tool: string, args: Record<string, unknown>, text: string][] = [
      ["history", { resource: "lib", place: "a.js" }, "A change"],
      ["read", { resource: "lib@main", path: "a.js" }, "otters"],
      ["listRevisions", { resource: "lib" }, "main"],
      ["read", { resource: "lib@absent", path: "a.js" }, "BranchNotFound"],
    ];
    for (const [tool, args, text] of ofHistory) {
      expect(await service.call(key, tool, args)).toMatchObject({ content: [{ text: expect.stringContaining(text) }] });
    }
    expect(model.requests[0]?.headers.authorization).toBe(`Bearer ${modelKey}`);
    expect((await service.send(accessToken, { jsonrpc: "2.0", id: 1, method: "ping" })).status).toBe(403);
    const changed = `${key.slice(0, -1)}${key.endsWith("A") ? "B" : "A"}`;
    expect((await service.send(changed, { jsonrpc: "2.0", id: 1, method: "ping" })).status).toBe(401);
    await fetch(new URL("/sign-in/callback?code=abc&state=abc", service.url));

    const texts: string[] = [];
    for (const { method, path } of pageRoutes()) {
      if (method !== "get") continue;
      const address = path
        .replace(":project", project.name)
        .replace(/:\w+/g, path.startsWith("/link/") ? invite.token : "none");
      const page = await fetch(new URL(address, service.url), {
        headers: { cookie: `__Host-citewell=${session}` },
        redirect: "manual",
      });
      // The page of an invitation has its own token, for the sign-in provider.
      texts.push((await page.text()).replaceAll(`link=${invite.token}`, ""));
    }
    const rows: string[] = [];
    await store.tx(async (queries) => {
      for (const table of await listTables(queries)) {
        for await (const some of readRows(queries, table)) rows.push(...some);
      }
    });
    commandLines.push(...(await readCommandLines()));
    const everything = [...texts, ...rows, ...logged, ...commandLines].join("\n");
    expect([everything.includes(project.name), everything.includes("tool-called"), texts.length > 15]).toEqual([
      true,
      true,
      true,
    ]);
    const sealing = (await keys.read()).map((one) => Buffer.from(one.key));
    const secrets = {
      key,
      session,
      gitToken,
      modelKey,
      accessToken,
      password: testPassword,
      ownerLink: owner.token,
      invitation: invite.token,
      passwordLink: passwordLink.token,
      webhook: webhook.secret,
      oidcSecret: provider.clientSecret,
      sealingKey: sealing[0]?.toString("base64") ?? "",
    };
    expect(Object.entries(secrets).filter(([, secret]) => secret.length < 20)).toEqual([]);
    const found = Object.entries(secrets).filter(([, secret]) =>
      formsOf(secret).some((text) => everything.includes(text)),
    );
    expect(found.map(([name]) => name)).toEqual([]);
    expect(sealing.some((one) => everything.includes(one.toString("hex")))).toBe(false);
  });
});

/** A text as it may be written: plain, as the bytes of a column, in an address, and as a credential of git. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const credential = Buffer.from(`x-access-token:${secret}`).toString("base64");
  return [secret, bytes.toString("hex"), bytes.toString("base64"), encodeURIComponent(secret), credential];
}
