import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { listGitHubAccounts } from "../../../../server/hosted/github/installations.ts";
import { listTables, readRows } from "../../../../server/hosted/store/tables.ts";
import { listAudit } from "../../../../server/hosted/tenants/audit.ts";
import { listHostRights } from "../../../../server/hosted/host-rights/places.ts";
import { createInvite } from "../../../../server/hosted/tenants/links.ts";
import { createProject } from "../../../../server/hosted/tenants/projects.ts";
import { createFetch, type Fetch } from "../../../../server/lib/fetch.ts";
import { createLog } from "../../../../server/lib/log.ts";
import { type GitServer, startGitServer } from "../../../support/git-server.ts";
import { createGitHubApi, type GitHubApi } from "../../../support/github-api.ts";
import { startService, type TestService } from "../../../support/hosted.ts";
import { testEngines } from "../../../support/stores.ts";
import { createVisitor, signedIn, testPassword, type Visitor } from "../../../support/visitor.ts";

// Opening an embedded database takes seconds on a busy machine.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const oneLine = { query: "otters", mode: "exact" };

describe.each(testEngines())("a GitHub App on $name", (engine) => {
  let git: GitServer;
  let github: GitHubApi;
  let service: TestService;
  let owner: Visitor;
  let fetch: Fetch;
  let isDown = false;
  let key: string;
  let base: string;
  const commandLines: string[] = [];
  const logged: string[] = [];

  beforeAll(async () => {
    git = await startGitServer();
    await git.commit("Acme/secret", { "a.js": "// otters\n" });
    await git.commit("other/open", { "a.js": "// otters\n" });
    const ownUrl = () => new URL("/github/callback", service.url).href;
    github = createGitHubApi({ origin: git.origin, callback: ownUrl });
    git.intercept(async (request, response) => {
      if (isDown && request.url?.startsWith("/api/") === true) {
        response.destroy();
        return true;
      }
      if (await github.answer(request, response)) return true;
      commandLines.push(...(await readCommandLines()));
      const [, repository = ""] = /^\/([\w-]+\/[\w-]+)/.exec(request.url ?? "") ?? [];
      if (!repository.startsWith("Acme/") || github.mayRead(request, repository)) return false;
      response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
      return true;
    });
    service = await startService(await engine.createDatabase(), {
      github: github.settings,
      env: { SSL_CERT_FILE: git.caFile, NODE_EXTRA_CA_CERTS: git.caFile },
      log: createLog("debug", (line) => logged.push(line)),
    });
    fetch = createFetch({ ca: [await readFile(git.caFile, "utf8")] });
    owner = await signedIn(service, "ada@example.com", { fetch });
    key = await service.key();
    base = `/p/${service.project.name}`;
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
  });

  const stateOf = async (name: string) => {
    const { resources } = (await service.call(key, "listResources")).structuredContent ?? {};
    return Array.isArray(resources) ? resources.find((one) => one.name === name) : undefined;
  };
  const search = async (resource: string) => {
    const { isError, content } = await service.call(key, "search", { ...oneLine, resources: [resource] });
    return isError ? "error" : content.map(({ text }) => text).join("\n");
  };
  const sync = async (resource: string) => {
    await service.call(key, "sync", { resource });
    await service.untilFetched();
    return stateOf(resource);
  };
  const offerIn = (text: string) => /name="offer" value="([^"]+)"/.exec(text)?.[1] ?? "";
  const snapshotsIn = async (...folder: string[]) => {
    const paths = await readdir(path.join(service.dataDirectory, ...folder), { recursive: true }).catch(() => []);
    return paths.filter((one) => path.basename(one) === "snapshot.json");
  };
  const privateSnapshots = () => snapshotsIn("projects", service.project.id);

  test("an account is connected: authorize, install, choose; its private repositories are read then", async () => {
    await service.call(key, "addResource", { type: "git", name: "secret", url: git.url("Acme/secret") });
    await service.call(key, "addResource", { type: "git", name: "open", url: git.url("other/open") });
    await service.untilFetched();
    expect(await stateOf("secret")).toMatchObject({ revision: null, fetch: { state: "failed" } });

    const tokens = await owner.open(`${base}/tokens`);
    expect(tokens.text).toContain("Connect a GitHub account");
    const none = await owner.open(`${base}/github`);
    expect([none.status, none.text]).toEqual([200, expect.stringContaining("The app is not installed for any")]);
    github.onInstall = () => github.installations.push({ id: 7, account: "Acme", repositories: ["secret", "b"] });
    const [, install = ""] = /href="([^"]+\/installations\/new[^"]+)"/.exec(none.text) ?? [];
    const offered = await owner.open(install.replaceAll("&amp;", "&"));
    expect(offered).toMatchObject({ status: 200, path: expect.stringContaining(`${base}/github/accounts?`) });
    const connected = await owner.send(`${base}/github`, { offer: offerIn(offered.text) });
    expect(connected.text).toContain("The account is connected.");
    await service.untilFetched();
    expect(await stateOf("secret")).toMatchObject({ state: "ready", fetch: { state: "ready" } });
    expect(await search("secret")).toContain("otters");
    const [account] = await listGitHubAccounts(service.store, service.project);
    expect(account).toMatchObject({ account: "Acme", failure: null, lastUsedAt: expect.any(String) });
    // Of the host's other owners, public repositories stay shared.
    expect(await search("open")).toContain("otters");
    expect([await privateSnapshots(), await snapshotsIn("resources")]).toEqual([
      [expect.any(String)],
      [expect.any(String)],
    ]);
    // Each token reads one repository.
    expect([...github.grants.values()].filter((names) => names !== undefined)).toEqual(
      expect.arrayContaining([["secret"]]),
    );
    const audit = await listAudit(service.store, service.project.id);
    expect(audit.map(({ action, target }) => [action, target])).toContainEqual([
      "github.connected",
      `${new URL(git.origin).host}/Acme`,
    ]);
  });

  test("a worker asks GitHub who may use the repositories when that is asked for, and when a person proves who they are", async () => {
    const { token } = await createInvite(service.store, service.project, { role: "member", actor: "operator" });
    const member = createVisitor(service.url, { fetch });
    await member.send(`/link/${token}`, { email: "member@example.com", password: testPassword });
    const sees = async () => (await member.open(`${base}/resources`)).text.includes("secret");
    expect(await sees()).toBe(true);
    github.collaborators.set("Acme/secret", [21]);
    await owner.send(`${base}/rights`, { kind: "github", place: `${new URL(git.origin).host}/Acme` });
    expect(await sees()).toBe(false);
    github.person = { id: 21, login: "member-at-github" };
    await member.open("/account/github");
    await expect.poll(sees, { timeout: 30_000 }).toBe(true);
    expect(await search("secret")).toContain("error");
    const [rights] = await listHostRights(service.store, service.project);
    await owner.send(`${base}/rights/${rights?.id}/end`);
    await owner.send(`${base}/resources/access`, { resource: "secret", access: "all" });
  });

  test("an id in a redirect connects nothing, nor do a changed offer, another person's, or a forged redirect", async () => {
    const before = await listGitHubAccounts(service.store, service.project);
    const forged = await owner.open("/github/callback?installation_id=7&setup_action=install&state=x");
    expect([forged.status, forged.text]).toEqual([401, expect.stringContaining("was not started in this browser")]);
    const page = await owner.open(`${base}/github`);
    const offer = offerIn(page.text);
    expect(offer).not.toBe("");
    const other = await signedIn(service, "eve@example.com");
    const elsewhere = await createProject(service.store, "elsewhere");
    const outsider = await signedIn({ ...service, project: elsewhere }, "mallory@example.com");
    const [head = "", payload = "", signature = ""] = offer.split(".");
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
    const changed = Buffer.from(JSON.stringify({ ...claims, installation: "8" })).toString("base64url");
    for (const [visitor, place, text] of [
      [owner, base, `${head}.${changed}.${signature}`],
      [owner, base, ""],
      [other, base, offer],
      [outsider, "/p/elsewhere", offer],
    ] as const) {
      const refused = await visitor.send(`${place}/github`, { offer: text });
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("offered to someone else")]);
    }
    expect((await outsider.send(`${base}/github`, { offer })).status).toBe(404);
    expect((await outsider.send(`/p/elsewhere/github/${before[0]?.id}/disconnect`)).status).toBe(404);
    // The code was used.
    const used = await owner.open(page.path);
    expect([used.status, used.text]).toEqual([401, expect.stringContaining("already used")]);
    github.isRefusing = true;
    const denied = await owner.open(`${base}/github`);
    expect([denied.status, denied.text]).toEqual([401, expect.stringContaining("access_denied")]);
    github.isRefusing = false;
    expect(await listGitHubAccounts(service.store, service.project)).toEqual(before);
    expect(await listGitHubAccounts(service.store, elsewhere)).toEqual([]);
  });

  test("a person who may not read all repositories, and a suspended installation, cannot be connected", async () => {
    github.installations.push(
      { id: 8, account: "big", repositories: ["a", "b", "c"], readable: 1 },
      { id: 9, account: "paused", repositories: ["a"], isSuspended: true },
    );
    const { text } = await owner.open(`${base}/github`);
    expect(text).toContain("You may read 1 of its 3 repositories.");
    expect(text).toContain("The app is suspended for this account.");
    expect(text.match(/name="offer"/g)).toHaveLength(1);
    github.installations.splice(1);
  });

  test("an account on the third page of GitHub's list is offered", async () => {
    const suspended = { account: "paused", repositories: [], isSuspended: true };
    for (let id = 100; id < 350; id++) github.installations.push({ ...suspended, id });
    github.installations.push({ id: 350, account: "last", repositories: ["a"] });
    const { text } = await owner.open(`${base}/github`);
    expect(text.match(/<th scope="row">paused</g)).toHaveLength(250);
    expect(text).toContain('<th scope="row">last');
    expect(text.match(/name="offer"/g)).toHaveLength(2);
    github.installations.splice(1);
  });

  test("a suspended or uninstalled app, and a repository without access, say so at the resource", async () => {
    const [installation] = github.installations;
    if (installation === undefined) throw new Error("nothing is installed");
    installation.isSuspended = true;
    expect(await sync("secret")).toMatchObject({
      revision: expect.any(String),
      fetch: { state: "failed", failure: expect.stringContaining("the GitHub App is suspended for Acme on") },
    });
    expect(await search("secret")).toContain("otters");
    expect((await owner.open(`${base}/tokens`)).text).toMatch(/failing since .*is suspended for Acme/s);
    github.installations = [];
    expect(await sync("secret")).toMatchObject({
      fetch: { failure: expect.stringContaining("the GitHub App is no longer installed for Acme on") },
    });
    github.installations = [{ ...installation, isSuspended: false, repositories: ["b"] }];
    expect(await sync("secret")).toMatchObject({
      fetch: { failure: expect.stringContaining("the GitHub App of Acme may not read it"), needsToken: null },
    });
    github.installations = [{ ...installation, isSuspended: false }];
    isDown = true;
    expect(await sync("secret")).toMatchObject({
      fetch: { failure: expect.stringContaining("could not be reached:") },
    });
    isDown = false;
    expect(await sync("secret")).toMatchObject({ fetch: { state: "ready", failure: null } });
    expect(await listGitHubAccounts(service.store, service.project)).toMatchObject([
      { failure: null, failingSince: null },
    ]);
  });

  test("a token is in no log, page, row or command line", async () => {
    const pages = await Promise.all(
      ["tokens", "resources", "audit", "audit.ndjson", "github"].map(
        async (page) => (await owner.open(`${base}/${page}`)).text,
      ),
    );
    const rows: string[] = [];
    await service.store.tx(async (queries) => {
      for (const table of await listTables(queries)) {
        for await (const some of readRows(queries, table)) rows.push(...some);
      }
    });
    if (existsSync("/proc/self/cmdline")) expect(commandLines.some((line) => line.includes("ls-remote"))).toBe(true);
    expect(github.tokens.length).toBeGreaterThan(5);
    const everything = [...pages, ...rows, ...logged, ...commandLines].join("\n");
    for (const token of [...github.tokens, github.settings.clientSecret]) {
      const credential = Buffer.from(`x-access-token:${token}`);
      for (const text of [token, credential.toString("base64")]) expect(everything.includes(text)).toBe(false);
    }
  });

  test("a disconnected account takes what was fetched along", async () => {
    const [account] = await listGitHubAccounts(service.store, service.project);
    const page = await owner.send(`${base}/github/${account?.id}/disconnect`);
    expect(page.text).toContain("The account is disconnected");
    await service.untilFetched();
    await vi.waitFor(async () => expect(await privateSnapshots()).toEqual([]), { timeout: 60_000 });
    expect(await search("secret")).toBe("error");
    expect((await owner.send(`${base}/github/${account?.id}/disconnect`)).status).toBe(404);
  });

  test("a wrong client secret is reported as a fault of the service", async () => {
    await using broken = await startService(await engine.createDatabase(), {
      github: { ...github.settings, clientSecret: "wrong" },
      env: { NODE_EXTRA_CA_CERTS: git.caFile },
    });
    const visitor = await signedIn(broken, "ada@example.com", { fetch });
    const page = await visitor.open(`/p/${broken.project.name}/github`);
    expect([page.status, page.text]).toEqual([
      500,
      expect.stringContaining("does not accept this service&#39;s GitHub App"),
    ]);
  });
});

async function readCommandLines(): Promise<string[]> {
  const processes = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  return Promise.all(processes.map((id) => readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")));
}
