import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listAudit } from "../../../../server/hosted/tenants/audit.ts";
import { createInvite } from "../../../../server/hosted/tenants/links.ts";
import { createProject } from "../../../../server/hosted/tenants/projects.ts";
import { type GitServer, startGitServer } from "../../../support/git-server.ts";
import { startService, type TestService } from "../../../support/hosted.ts";
import { startNpmRegistry } from "../../../support/npm-registry.ts";
import { pageRoutes } from "../../../support/routes.ts";
import { testEngines } from "../../../support/stores.ts";
import { createVisitor, signedIn, testPassword, type Visitor } from "../../../support/visitor.ts";

const markup = `<img src=x onerror="alert(1)">'"`;
const escaped = "&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&#39;&quot;";
const ping = { jsonrpc: "2.0", id: 1, method: "ping" };

describe.each(testEngines())("the settings pages on $name", (engine) => {
  let git: GitServer;
  let service: TestService;
  let owner: Visitor;
  let member: Visitor;
  let base: string;
  beforeAll(async () => {
    git = await startGitServer();
    await git.commit("lib", { "retry.ts": "export const retries = 3;\n" });
    service = await startService(await engine.createDatabase(), {
      env: { SSL_CERT_FILE: git.caFile, NODE_EXTRA_CA_CERTS: git.caFile },
      snippetsFor: ({ url, key }) => [{ client: "Editor", file: "mcp.json", text: `${url} ${key}` }],
    });
    base = `/p/${service.project.name}`;
    owner = await signedIn(service);
    member = createVisitor(service.url);
    const { token } = await createInvite(service.store, service.project, { role: "member", actor: "operator" });
    await member.send(`/link/${token}`, { email: "member@example.com", password: testPassword });
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
  });

  /** The last form whose action ends so and that is in the row of a name. */
  const actionOf = (page: string, end: string): string => {
    const actions = [...page.matchAll(new RegExp(`action="([^"]*/${end})"`, "g"))].map(([, action = ""]) => action);
    return actions.at(-1) ?? "";
  };
  const keyOf = (page: string): string => /cw_[\w-]{49}/.exec(page)?.[0] ?? "";

  test("addresses that pages show begin with the public address", async () => {
    const publicUrl = "https://citewell.example";
    await using hidden = await startService(await engine.createDatabase(), {
      publicUrl,
      snippetsFor: ({ url }) => [{ client: "Editor", file: "mcp.json", text: url }],
    });
    const ada = await signedIn(hidden);
    const project = `/p/${hidden.project.name}`;
    const pages = await Promise.all([
      ada.open(project),
      ada.send(`${project}/keys`, { name: "ci", scopes: ["ask"] }),
      ada.send(`${project}/members/invite`, { role: "member" }),
      ada.send(`${project}/webhook`),
    ]);
    const shown = pages.map(({ text }) => [...text.matchAll(/https?:\/\/[^/\s<]+\/(?:api|link|hooks)\b/g)].map(String));
    expect(shown).toEqual([
      [`${publicUrl}/api`],
      [`${publicUrl}/api`, `${publicUrl}/api`],
      [`${publicUrl}/link`],
      [`${publicUrl}/hooks`],
    ]);
  });

  test("a key is shown once, with the settings of each client; it works, is rotated with overlap and revoked", async () => {
    const created = await owner.send(`${base}/keys`, { name: "ci", scopes: ["ask", "read"], days: "30" });
    const key = keyOf(created.text);
    expect(created.text).toContain(`${new URL(service.url).origin}/api/mcp ${key}`);
    expect((await service.send(key, ping)).status).toBe(200);
    const listed = await owner.open(`${base}/keys`);
    expect(keyOf(listed.text)).toBe("");
    expect(listed.text).toMatch(/just now/);

    const rotated = await owner.send(actionOf(listed.text, "rotate"));
    const next = keyOf(rotated.text);
    expect(next).not.toBe(key);
    for (const one of [key, next]) expect((await service.send(one, ping)).status).toBe(200);

    const after = await owner.open(`${base}/keys`);
    expect(after.text).toContain("replaced, expires");
    const revoked = await owner.send(actionOf(after.text, "revoke"));
    expect([revoked.path, revoked.text]).toEqual([
      `${base}/keys?done=revoked`,
      expect.stringContaining("The key is revoked"),
    ]);
    expect((await service.send(next, ping)).status).toBe(401);
    const audit = await listAudit(service.store, service.project.id);
    const actions = audit.filter(({ actor }) => actor.startsWith("account:")).map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(["key.created", "key.rotated", "key.revoked"]));
    expect((await owner.open(`${base}/audit`)).text).toContain("scopes: ask, read");
  });

  test.each([
    ["/keys/8c5d3f0e-7a55-4b7b-9d9c-0d1f5a3b2c1d/rotate", "/keys"],
    ["/resources/remove", "/resources"],
    ["/members/invite", "/members"],
    ["/webhook/remove", "/webhook"],
    ["/ask/delete", "/ask"],
    ["/ask/stream", "/ask"],
  ])("the address of a form, opened in a browser, leads to its page: %s", async (address, page) => {
    expect(await owner.open(`${base}${address}`)).toMatchObject({ status: 200, path: `${base}${page}` });
  });

  test("the address of each form, opened in a browser, leads to a page and changes nothing", async () => {
    const id = "8c5d3f0e-7a55-4b7b-9d9c-0d1f5a3b2c1d";
    const forms = pageRoutes().filter(({ method, path }) => method === "post" && !/:(?:token|id)\b/.test(path));
    const before = await listAudit(service.store, service.project.id);
    const opened = forms.map(async ({ path }) => {
      const address = path.replace(":project", service.project.name).replaceAll(/:\w+/g, id);
      const { status, text } = await owner.open(address);
      return status === 200 && !text.includes("there is no page") ? [] : [address, status];
    });
    expect((await Promise.all(opened)).flat()).toEqual([]);
    expect(await listAudit(service.store, service.project.id)).toEqual(before);
  });

  test("a form for a webhook's secret that is sent twice makes one secret; a new form replaces it", async () => {
    const stateOf = async () =>
      /name="replaces" value="([^"]*)"/.exec((await owner.open(`${base}/webhook`)).text)?.[1] ?? "none";
    const before = await stateOf();
    expect((await owner.send(`${base}/webhook`, { replaces: before })).text).toContain("shown only now");
    const made = await stateOf();
    expect(made).not.toBe(before);
    const again = await owner.send(`${base}/webhook`, { replaces: before });
    expect(again).toMatchObject({ path: `${base}/webhook?done=repeated`, text: expect.stringContaining("sent twice") });
    expect(await stateOf()).toBe(made);
    expect((await owner.send(`${base}/webhook`, { replaces: made })).text).toContain("shown only now");
  });

  test("a form for a key that is sent twice makes one key", async () => {
    const form = (await owner.open(`${base}/keys`)).text;
    const id = /name="id" value="([0-9a-f-]{36})"/.exec(form)?.[1] ?? "";
    const fields = { id, name: "once", scopes: "read" };
    const key = keyOf((await owner.send(`${base}/keys`, fields)).text);
    expect((await service.send(key, ping)).status).toBe(200);
    const again = await owner.send(`${base}/keys`, fields);
    expect(again).toMatchObject({ path: `${base}/keys?done=repeated`, text: expect.stringContaining("sent twice") });
    expect(again.text.match(/>once</g)).toHaveLength(1);
    const at = await Promise.all([1, 2].map(() => owner.send(`${base}/keys`, { ...fields, id: crypto.randomUUID() })));
    expect(at.map(({ status }) => status)).toEqual([200, 200]);
  });

  test("markup in a name shows as text", async () => {
    const created = await owner.send(`${base}/keys`, { name: markup, scopes: "read" });
    expect(created.status).toBe(200);
    for (const page of [created, await owner.open(`${base}/keys`), await owner.open(`${base}/audit`)]) {
      expect(page.text).toContain(escaped);
      expect(page.text).not.toContain("<img");
    }
  });

  test.each([
    [{ name: "", scopes: "read" }, "name-error", "a key needs a name"],
    [{ name: "x" }, "scopes-error", "a key needs at least one scope"],
    [{ name: "x", scopes: "read", days: "0" }, "days-error", "at least 1"],
  ])("a key that is not described well is refused with the reason at its field: %j", async (fields, id, text) => {
    const page = await owner.send(`${base}/keys`, fields);
    expect([page.status, page.text]).toEqual([400, expect.stringContaining(`id="${id}">${text}`)]);
  });

  test("a repository is added, fetched, synced and removed", async () => {
    const added = await owner.send(`${base}/resources`, { source: git.url("lib"), name: "", branchOrVersion: "" });
    expect(added).toMatchObject({ status: 200, path: `${base}/resources?done=added` });
    await service.untilFetched();
    const listed = await owner.open(`${base}/resources`);
    expect(listed.text).toContain(git.url("lib"));
    expect(listed.text).toMatch(/<code title="[0-9a-f]{40}">[0-9a-f]{12}<\/code>/);
    expect((await owner.open(base)).text).toContain("1 ready<");
    const synced = await owner.send(`${base}/resources/sync`, { resource: "lib" });
    expect(synced.text).toContain("The newest revision is being fetched.");
    const removed = await owner.send(`${base}/resources/remove`, { resource: "lib" });
    expect(removed.text).toContain("There are no resources yet.");
    expect((await owner.send(`${base}/resources/remove`, { resource: "lib" })).status).toBe(404);
    const audit = await listAudit(service.store, service.project.id);
    expect(audit).toContainEqual(expect.objectContaining({ action: "resource.removed", target: "lib" }));
  });

  test("the overview shows what to do next, then the state of resources, one's questions and the agents", async () => {
    await using fresh = await startService(await engine.createDatabase(), {
      env: { SSL_CERT_FILE: git.caFile, NODE_EXTRA_CA_CERTS: git.caFile },
    });
    const ada = await signedIn(fresh);
    const path = `/p/${fresh.project.name}`;
    const first = (await ada.open(path)).text;
    for (const text of ["Add a repository or a package", "Make a key for an agent", "You have not asked here yet."])
      expect(first).toContain(text);
    const key = await fresh.key();
    await fresh.call(key, "addResource", { type: "git", name: "lib", url: git.url("lib") });
    await fresh.call(key, "addResource", { type: "git", name: "gone", url: git.url("gone") });
    await fresh.untilFetched();
    await ada.send(`${path}/ask`, { question: "What is here?", resources: "lib" });
    const { text } = await ada.open(path);
    expect(text).not.toContain("<h2>Next</h2>");
    expect(text).toMatch(/>1 ready<[^]*state=failed">1 could not be fetched</);
    expect(text).toMatch(/<bdi>gone<\/bdi>:\s+<span class="bad">/);
    expect(text).toMatch(/<bdi>What is here\?<\/bdi><\/a>\s+<p class="hint">1 question · lib · /);
    expect(text).toContain("1 question this month, of people and agents");
    expect(text).toMatch(/<bdi>agent<\/bdi>, last used/);
    const { token } = await createInvite(fresh.store, fresh.project, { role: "member", actor: "operator" });
    const bob = createVisitor(fresh.url);
    const joined = await bob.send(`/link/${token}`, { email: "bob@example.com", password: testPassword });
    expect(joined).toMatchObject({ path, text: expect.stringContaining("You are a member of this project.") });
    for (const hidden of ["What is here?", "this month", "last used"]) expect(joined.text).not.toContain(hidden);
  });

  test("a package is added", async () => {
    await using registry = await startNpmRegistry();
    registry.publish({ name: "tiny", version: "1.0.0", files: "//- index.js\nexport const tiny = 1;\n" });
    await using other = await startService(await engine.createDatabase(), {
      env: { npm_config_registry: registry.url },
    });
    const ada = await signedIn(other);
    const path = `/p/${other.project.name}/resources`;
    const added = await ada.send(path, { source: "tiny", name: "", branchOrVersion: "" });
    expect(added).toMatchObject({ status: 200, path: `${path}?done=added` });
    await other.untilFetched();
    expect((await ada.open(path)).text).toContain("All resources are fetched.");
  });

  test("a question in a project without resources says so, and nothing about the server's folders", async () => {
    await using empty = await startService(await engine.createDatabase());
    const ada = await signedIn(empty);
    const { text } = await ada.send(`/p/${empty.project.name}/ask`, { question: "What is this?" });
    expect(text).toContain("There is no resource to answer from. An admin of the project adds");
    const key = await empty.key();
    for (const [tool, input] of [
      ["ask", { question: "What is this?" }],
      ["search", { query: "retry" }],
    ] as const) {
      expect(await empty.call(key, tool, input)).toMatchObject({
        isError: true,
        content: [
          {
            text: expect.stringMatching(
              /^ResourceNotFound: there is no resource to answer from\nWhat to do: .*addResource/,
            ),
          },
        ],
      });
    }
  });

  test.each([
    [{ source: "https://10.0.0.1/a" }, "10.0.0.1"],
    [{ name: "no-source" }, 'id="source-error"'],
    [{ source: " ", name: "empty" }, 'id="source-error">an address or the name of a package is needed'],
    [{ source: "zod", name: "A B" }, 'id="name-error"'],
    [{ source: "zod", branchOrVersion: "1 2" }, 'id="branchOrVersion-error"'],
    [{ source: "https://localhost/a", branchOrVersion: "a b" }, 'id="branchOrVersion-error"'],
    [{ source: "http://localhost/a" }, "must use https"],
    [{ source: "gem:rack" }, 'id="source-error">&quot;gem:rack&quot; cannot be added: a Ruby gem is read where'],
    [{ source: "pypi:a b" }, 'id="source-error">&quot;pypi:a b&quot; cannot be added: not a valid Python package name'],
    [
      { source: "go:net/http" },
      "This service does not offer Go&#39;s standard library (go:net/http), which it would read",
    ],
    [{ source: "java:jdk" }, "Add its repository instead: https://github.com/openjdk/jdk."],
    [{ source: "/etc" }, 'id="source-error">&quot;/etc&quot; cannot be added: neither the https address'],
    [{ source: "../server" }, "neither the https address of a git repository nor a package"],
    [{ source: "two words" }, "neither the https address of a git repository nor a package"],
    [{ source: "<img src=x>" }, "&quot;&lt;img src=x&gt;&quot; cannot be added"],
  ])("a resource that cannot be added is refused with the reason: %j", async (fields, text) => {
    const page = await owner.send(`${base}/resources`, fields);
    expect([page.status, page.text]).toEqual([400, expect.stringContaining(text)]);
  });

  test("a resource is limited to members, or added for owners and admins only; the page says for whom it is", async () => {
    await owner.send(`${base}/resources`, { source: git.url("lib"), name: "held", access: "some" });
    const limited = { action: "resource.added", target: "held", detail: { access: "owners and admins" } };
    expect(await listAudit(service.store, service.project.id)).toContainEqual(expect.objectContaining(limited));
    expect((await owner.open(`${base}/resources`)).text).toContain("only owners and admins");
    expect((await member.open(`${base}/resources`)).text).not.toContain("held");
    const form = await owner.open(`${base}/resources/access?resource=held`);
    const [, account = ""] = /name="members"\s+value="([^"]+)"/.exec(form.text) ?? [];
    expect(form.text).not.toContain("owner@example.com</span>");
    const saved = await owner.send(`${base}/resources/access`, { resource: "held", access: "some", members: account });
    expect([saved.path, saved.text]).toEqual([
      `${base}/resources?done=access`,
      expect.stringContaining("owners, admins and 1 member"),
    ]);
    expect((await member.open(`${base}/resources`)).text).toContain("held");
    expect((await owner.open(`${base}/resources/access?resource=held`)).text).toMatch(/value="some" +checked/);
    for (const [fields, status] of [
      [{ resource: "absent", access: "all" }, 404],
      [{ resource: "held", access: "some", members: crypto.randomUUID() }, 404],
      [{ resource: "held", access: "none" }, 400],
    ] as const) {
      expect(await owner.send(`${base}/resources/access`, fields)).toMatchObject({ status });
    }
    expect(await member.send(`${base}/resources/access`, { resource: "held", access: "all" })).toMatchObject({
      status: 403,
    });
    await owner.send(`${base}/resources/access`, { resource: "held", access: "all" });
    expect((await owner.open(`${base}/resources`)).text).not.toContain("owners, admins");
    await service.untilFetched();
    await service.store.query("delete from resource where project = $1", [service.project.id]);
  });

  test("a key is made for the ticked resources only; the page lists them, and errors keep the ticks", async () => {
    expect((await owner.open(`${base}/keys`)).text).not.toContain("Only these resources");
    for (const name of ["lib", "web"]) {
      const insert = "insert into resource (project, name, spec) values ($1, $2, $3::jsonb)";
      const spec = JSON.stringify({ type: "git", name, url: git.url("lib"), branch: "main" });
      await service.store.query(insert, [service.project.id, name, spec]);
    }
    const form = await owner.open(`${base}/keys`);
    const boxes = [...form.text.matchAll(/name="resources" value="(\w+)"( +checked)?/g)];
    expect(boxes.map(([, name, checked]) => [name, checked])).toEqual([
      ["lib", undefined],
      ["web", undefined],
    ]);
    const refused = await owner.send(`${base}/keys`, { name: "", scopes: "read", resources: "lib" });
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringMatching(/name="resources" value="lib" +checked/),
    ]);
    const created = await owner.send(`${base}/keys`, { name: "narrow", scopes: "read", resources: "lib" });
    expect(created.text).toContain("It may use only these resources: lib.");
    const listed = await service.call(keyOf(created.text), "listResources");
    expect(listed.structuredContent).toMatchObject({ resources: [{ name: "lib" }] });
    const rows = (await owner.open(`${base}/keys`)).text.match(/<tr>[^]*?<\/tr>/g) ?? [];
    expect(rows.find((row) => row.includes("narrow"))).toContain(">lib</td>");
    const unknown = await owner.send(`${base}/keys`, { name: "none", scopes: "read", resources: "absent" });
    expect([unknown.status, unknown.text]).toEqual([404, expect.stringContaining("No resource named")]);
    await service.store.query("delete from resource where project = $1", [service.project.id]);
  });

  test("a form for an invitation that is sent twice makes one; a new form makes another", async () => {
    const countOf = async () => (await service.store.query("select from link where purpose = 'invite'")).count;
    const send = async () => {
      const form = /name="form" value="([0-9a-f-]{36})"/.exec((await owner.open(`${base}/members`)).text)?.[1] ?? "";
      return [form, (await owner.send(`${base}/members/invite`, { role: "member", form })).text] as const;
    };
    const before = await countOf();
    const [form, text] = await send();
    expect(text).toContain("/link/");
    const again = await owner.send(`${base}/members/invite`, { role: "member", form });
    expect(again).toMatchObject({ path: `${base}/members?done=repeated`, text: expect.stringContaining("sent twice") });
    expect(await countOf()).toBe(before + 1);
    await send();
    expect(await countOf()).toBe(before + 2);
  });

  test("what cannot be taken back is asked first", async () => {
    await owner.send(`${base}/keys`, { name: "asked", scopes: ["ask"] });
    await owner.send(`${base}/webhook`);
    const pages = await Promise.all(["keys", "members", "webhook"].map((page) => owner.open(`${base}/${page}`)));
    const risky = pages.flatMap(({ text }) => [...text.matchAll(/action="[^"]*\/(?:revoke|remove)"/g)].map(String));
    const asked = pages.flatMap(({ text }) =>
      [...text.matchAll(/popover role="alertdialog"[\s\S]*?(action="[^"]*")/g)].map(([, action]) => action),
    );
    expect(risky.length).toBeGreaterThan(2);
    expect(asked).toEqual(expect.arrayContaining(risky));
  });

  test("a member is invited, gets another role and is removed", async () => {
    const invited = await owner.send(`${base}/members/invite`, { role: "member" });
    const [link = ""] = /http[^<]*\/link\/[\w-]{43}/.exec(invited.text) ?? [];
    const visitor = createVisitor(service.url);
    await visitor.send(link, { email: "new@example.com", password: testPassword });
    expect((await visitor.open(`${base}/usage`)).status).toBe(403);
    const [{ id = "" } = {}] = (
      await service.store.query("select id::text from account where email = 'new@example.com'")
    ).rows;
    await owner.send(`${base}/members/${String(id)}/role`, { role: "admin" });
    expect((await visitor.open(`${base}/usage`)).status).toBe(200);
    await owner.send(`${base}/members/${String(id)}/remove`);
    expect((await visitor.open(base)).status).toBe(404);
  });

  test("the audit log is exported as lines of JSON", async () => {
    const exported = await owner.open(`${base}/audit.ndjson`);
    expect(exported.headers.get("content-disposition")).toContain("attachment");
    const entries = exported.text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(entries).toEqual(await listAudit(service.store, service.project.id, { limit: 10_000 }));
  });

  test.each(["usage", "audit", "audit.ndjson"])("a member may not open %s", async (page) => {
    expect((await member.open(`${base}/${page}`)).status).toBe(403);
  });

  test.each([
    ["keys", { name: "x", scopes: "read" }],
    ["keys/members", { isAllowed: "yes" }],
    ["resources", { source: "zod" }],
    ["resources/sync", { resource: "lib" }],
    ["resources/remove", { resource: "lib" }],
    ["members/invite", { role: "owner" }],
  ])("a member may not send the form of %s", async (page, fields) => {
    expect((await member.send(`${base}/${page}`, fields)).status).toBe(403);
  });

  test("a member makes keys of its own once an admin allows it, and sees no others", async () => {
    await owner.send(`${base}/keys`, { name: "of the project", scopes: ["ask"] });
    expect((await member.open(`${base}/keys`)).text).toContain("cannot make keys of their own");
    const saved = await owner.send(`${base}/keys/members`, { isAllowed: "yes", mostDays: "30" });
    expect(saved).toMatchObject({ path: `${base}/keys?done=rule`, text: expect.stringContaining("The rule") });
    const form = (await member.open(`${base}/keys`)).text;
    expect(form).toContain('value="30"');
    expect(form).not.toContain("of the project");
    expect(form).not.toContain('value="manage"');
    const created = await member.send(`${base}/keys`, { name: "my agent", scopes: ["ask", "read"], days: "7" });
    const [, key = ""] = /(cw_[\w-]{49})/.exec(created.text) ?? [];
    expect((await service.call(key, "listResources")).isError).toBe(false);
    const tooLong = await member.send(`${base}/keys`, { name: "other", scopes: ["ask"], days: "31" });
    expect([tooLong.status, tooLong.text]).toEqual([400, expect.stringContaining("within 30 days")]);

    const rowIds = (text: string) => [...text.matchAll(/keys\/([\da-f-]{36})\/revoke/g)].map(([, id = ""]) => id);
    const own = rowIds((await member.open(`${base}/keys`)).text);
    const listed = await owner.open(`${base}/keys`);
    expect(own).toHaveLength(1);
    expect(listed.text).toMatch(/my agent <span class="muted">of [\w.@-]+<\/span>/);
    const foreign = rowIds(listed.text).find((id) => !own.includes(id)) ?? "";
    for (const action of ["rotate", "revoke"]) {
      expect((await member.send(`${base}/keys/${foreign}/${action}`)).status).toBe(404);
    }
    await owner.send(`${base}/keys/members`, {});
    expect((await member.send(`${base}/keys/${own[0] ?? ""}/rotate`)).status).toBe(403);
    await member.send(`${base}/keys/${own[0] ?? ""}/revoke`);
    const refused = await service.send(key, { jsonrpc: "2.0", id: 1, method: "tools/list" });
    expect(refused.status).toBe(401);
  });

  test("pages of a project are not there for others, and lead those who are not signed in to the sign-in", async () => {
    const other = await createProject(service.store, "secret-project");
    expect((await owner.open(`/p/${other.name}`)).status).toBe(404);
    expect((await owner.send(`/p/${other.name}/keys`, { name: "x", scopes: "read" })).status).toBe(404);
    const stranger = createVisitor(service.url);
    expect((await stranger.open(`${base}/members`)).path).toMatch(/^\/sign-in/);
    expect((await stranger.send(`${base}/keys`, { name: "x", scopes: "read" })).status).toBe(401);
  });

  test("an address or a form that no page of ours has made is refused, and is no failure of the service", async () => {
    expect((await owner.open("/p/%E0%A4%A")).status).toBe(400);
    expect((await owner.send(`${base}/members/invite`, { role: "king" })).status).toBe(400);
    expect((await owner.send(`${base}/members/nobody/remove`)).status).toBe(404);
    expect((await owner.send(`${base}/members/${crypto.randomUUID()}/role`, { role: "admin" })).status).toBe(404);
    expect((await owner.send(`${base}/keys`, { name: "x".repeat(2 ** 21) })).status).toBe(413);
  });

  test("a key of another project can be neither rotated nor revoked", async () => {
    const other = await createProject(service.store, "other-keys");
    const { rows } = await service.store.query(
      `insert into api_key (project, name, hash, hint, scopes) values ($1, 'theirs', '\\x00', 'cw_', '{read}') returning id::text`,
      [other.id],
    );
    for (const action of ["rotate", "revoke"]) {
      const page = await owner.send(`${base}/keys/${String(rows[0]?.["id"])}/${action}`);
      expect([action, page.status]).toEqual([action, 404]);
    }
  });
});
