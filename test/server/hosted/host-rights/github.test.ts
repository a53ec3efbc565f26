import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createGitHubApp, type GitHubApp } from "../../../../server/hosted/github/github-app.ts";
import { connectGitHubAccount } from "../../../../server/hosted/github/installations.ts";
import { listHostRights } from "../../../../server/hosted/host-rights/places.ts";
import { refreshDueRights } from "../../../../server/hosted/host-rights/refresh.ts";
import { listAudit } from "../../../../server/hosted/tenants/audit.ts";
import { createInvite } from "../../../../server/hosted/tenants/links.ts";
import { createFetch, type Fetch } from "../../../../server/lib/fetch.ts";
import { silentLog } from "../../../../server/lib/log.ts";
import { type GitServer, startGitServer } from "../../../support/git-server.ts";
import { createGitHubApi, type GitHubApi } from "../../../support/github-api.ts";
import { startService, type TestService } from "../../../support/hosted.ts";
import { postgresEngines } from "../../../support/stores.ts";
import { createVisitor, signedIn, testPassword, type Visitor } from "../../../support/visitor.ts";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

// The rights are SQL of both engines (tenants/resource-access); a node without a worker needs PostgreSQL.
describe.each(postgresEngines())("rights that GitHub decides, on $name", (engine) => {
  let git: GitServer;
  let github: GitHubApi;
  let app: GitHubApp;
  let service: TestService;
  let owner: Visitor;
  let eve: Visitor;
  let bob: Visitor;
  let fetch: Fetch;
  let base: string;
  let isDown = false;

  beforeAll(async () => {
    git = await startGitServer();
    const callback = () => new URL("/github/callback", service.url).href;
    github = createGitHubApi({ origin: git.origin, callback });
    git.intercept(async (request, response) => {
      if (!isDown) return github.answer(request, response);
      response.destroy();
      return true;
    });
    // Without a worker: the test asks GitHub.
    service = await startService(await engine.createDatabase(), {
      role: "web",
      github: github.settings,
      env: { SSL_CERT_FILE: git.caFile, NODE_EXTRA_CA_CERTS: git.caFile },
    });
    fetch = createFetch({ ca: [await readFile(git.caFile, "utf8")] });
    app = createGitHubApp(github.settings, { fetch });
    base = `/p/${service.project.name}`;
    owner = await signedIn(service, "owner@example.com", { fetch });
    eve = await join("eve");
    bob = await join("bob");
    github.installations.push({ id: 7, account: "Acme", repositories: ["secret", "docs"] });
    const { store, project } = service;
    const place = { host: new URL(git.origin).host, account: "Acme", installation: "7" };
    await connectGitHubAccount({ store, project, actor: "operator" }, place);
    await add("secret", git.url("acme/secret.git"));
    await add("other", git.url("Other/open"));
    github.collaborators.set("Acme/secret", [...Array.from({ length: 120 }, (_, index) => 1000 + index), 11, -12]);
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
  });

  async function join(name: string): Promise<Visitor> {
    const { token } = await createInvite(service.store, service.project, { role: "member", actor: "operator" });
    const visitor = createVisitor(service.url, { fetch });
    await visitor.send(`/link/${token}`, { email: `${name}@example.com`, password: testPassword });
    return visitor;
  }
  const add = async (name: string, url: string) => {
    const { text } = await owner.send(`${base}/resources`, { source: url, name, access: "all" });
    expect(text).toContain("The resource is added");
  };
  const ask = () =>
    refreshDueRights({
      ...service,
      githubApp: app,
      fetches: { fetch, fetchPublic: fetch },
      allowHosts: ["localhost"],
      log: silentLog,
      signal: AbortSignal.timeout(60_000),
    });
  const askAgain = async () => {
    await service.store.query("update host_rights set run_at = now()");
    await ask();
  };
  const onResources = async (visitor: Visitor) => /secret/.test((await visitor.open(`${base}/resources`)).text);
  const prove = (visitor: Visitor, id: number, login: string) => {
    github.person = { id, login };
    return visitor.open("/account/github");
  };

  test("a member uses what GitHub lets them read, once they have proved who they are there", async () => {
    await owner.send(`${base}/resources/access`, { resource: "secret", access: "all" });
    expect(await onResources(eve)).toBe(true);
    const place = `${new URL(git.origin).host}/Acme`;
    const changed = await owner.send(`${base}/rights`, { kind: "github", place });
    expect(changed.text).toContain("It is asked in a moment");
    const again = await owner.send(`${base}/rights`, { kind: "github", place: place.toUpperCase() });
    expect([again.status, again.text]).toEqual([400, expect.stringContaining("decides already")]);
    // GitHub has not answered yet, and knows nobody then.
    expect([await onResources(eve), await onResources(owner)]).toEqual([false, true]);
    await ask();
    expect(await onResources(eve)).toBe(false);

    const proved = await prove(eve, 11, "eve-at-github");
    expect([proved.path, proved.text]).toEqual(["/account?done=proved", expect.stringContaining("eve-at-github")]);
    await prove(bob, 12, "bob-at-github");
    await ask();
    // The other may see the name of the repository at GitHub, but not read it.
    expect([await onResources(eve), await onResources(bob)]).toEqual([true, false]);
    expect((await owner.open(`${base}/resources`)).text).toContain("owners, admins and 1 member, as its git host says");
    expect((await owner.open(`${base}/resources/access?resource=secret`)).text).toContain("<li>eve@example.com</li>");
    expect((await owner.open(`${base}/tokens`)).text).toContain("checked <time");
    const refused = await owner.send(`${base}/resources/access`, { resource: "secret", access: "all" });
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("Its git host decides who may use")]);
    const audit = await listAudit(service.store, service.project.id);
    expect(audit.map(({ action }) => action)).toContain("host.rights-on");
  });

  test("one person at GitHub is one account here, and only the browser that began can prove it", async () => {
    const taken = await prove(bob, 11, "eve-at-github");
    expect([taken.status, taken.text]).toEqual([400, expect.stringContaining("belongs to another account here")]);
    await prove(bob, 12, "bob-at-github");
    const forged = await bob.open("/account/github/proved?code=x&state=x");
    expect([forged.status, forged.text]).toEqual([401, expect.stringContaining("not started in this browser")]);
    const stranger = await createVisitor(service.url, { fetch }).open("/account/github");
    expect(stranger.path).toMatch(/^\/sign-in\?/);
    await askAgain();
    expect([await onResources(eve), await onResources(bob)]).toEqual([true, false]);
  });

  test("a repository that is added is closed until GitHub has answered about it", async () => {
    await add("docs", git.url("ACME/docs"));
    expect((await owner.open(`${base}/resources`)).text).toContain("docs");
    expect((await eve.open(`${base}/resources`)).text).not.toContain("docs");
    github.collaborators.set("Acme/docs", [11, 12]);
    await ask();
    expect((await bob.open(`${base}/resources`)).text).toContain("docs");
    expect((await bob.open(`${base}/resources`)).text).toContain("other");
  });

  test("a member who joins later, and one who loses the right, are noticed", async () => {
    const ida = await join("ida");
    await prove(ida, 13, "ida-at-github");
    github.collaborators.set("Acme/secret", [12, 13]);
    await ask();
    expect([await onResources(eve), await onResources(bob), await onResources(ida)]).toEqual([false, true, true]);
  });

  test("while GitHub is away its last answer counts, but not for ever", async () => {
    isDown = true;
    await askAgain();
    expect(await onResources(bob)).toBe(true);
    expect((await owner.open(`${base}/tokens`)).text).toContain("answered before counts for 24 hours.");
    const { rows } = await service.store.query(
      "select bool_and(until between now() + interval '23 hours' and now() + interval '24 hours') as ok from resource_access",
    );
    expect(rows).toEqual([{ ok: true }]);
    await service.store.query("update resource_access set until = now() - interval '1 second'");
    expect([await onResources(bob), await onResources(owner)]).toEqual([false, true]);
    isDown = false;
    // A failed check is repeated in minutes.
    const next = await service.store.query("select run_at <= now() + interval '5 minutes' as soon from host_rights");
    expect(next.rows).toEqual([{ soon: true }]);
    await askAgain();
    expect(await onResources(bob)).toBe(true);
  });

  test("a repository that GitHub does not show to the app any more is closed", async () => {
    github.collaborators.delete("Acme/docs");
    await askAgain();
    expect((await bob.open(`${base}/resources`)).text).not.toContain("docs");
    expect(await onResources(bob)).toBe(true);
    expect((await owner.open(`${base}/tokens`)).text).toContain(
      "shows no repository ACME/docs: only owners and admins",
    );
  });

  test("a repository that moved to another owner has not the rights of its namesake", async () => {
    const moveTo = (owner: string) =>
      service.store.query("update resource set spec = spec || $1::jsonb where name = 'secret'", [
        JSON.stringify({ url: git.url(`${owner}/secret`) }),
      ]);
    await moveTo("Other");
    await askAgain();
    expect([await onResources(bob), await onResources(owner)]).toEqual([false, true]);
    await moveTo("Acme");
    await askAgain();
    expect(await onResources(bob)).toBe(true);
  });

  test("when admins decide again, the repositories are closed until they have chosen members", async () => {
    const [rights] = await listHostRights(service.store, service.project);
    expect(await bob.send(`${base}/rights/${rights?.id}/end`)).toMatchObject({ status: 403 });
    await owner.send(`${base}/rights/${rights?.id}/end`);
    expect([await onResources(bob), await onResources(owner)]).toEqual([false, true]);
    await askAgain();
    expect(await onResources(bob)).toBe(false);
    await owner.send(`${base}/resources/access`, { resource: "secret", access: "all" });
    expect(await onResources(bob)).toBe(true);
  });
});
