import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { saveGroup } from "../../../../server/hosted/tenants/groups.ts";
import { type GitServer, startGitServer } from "../../../support/git-server.ts";
import { startService, type TestService } from "../../../support/hosted.ts";
import { type ScriptedModel, scriptedModel } from "../../../support/scripted-model.ts";
import { testEngines } from "../../../support/stores.ts";
import { signedIn, type Visitor } from "../../../support/visitor.ts";

// Dozens of repositories are fetched.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

const count = 70;
const names = Array.from({ length: count }, (_, index) => `repo-${String(index).padStart(2, "0")}`);
const backend = names.slice(0, 25);

describe.each(testEngines())("groups of resources on $name", (engine) => {
  let git: GitServer;
  let model: ScriptedModel;
  let service: TestService;
  let owner: Visitor;
  let key: string;
  let base: string;
  beforeAll(async () => {
    git = await startGitServer();
    await git.commit("lib", { "a.js": "// otters\n" });
    model = await scriptedModel(() => "Otters.");
    service = await startService(await engine.createDatabase(), {
      config: { ...model.config },
      env: { SSL_CERT_FILE: git.caFile, NODE_EXTRA_CA_CERTS: git.caFile },
    });
    base = `/p/${service.project.name}`;
    const { store, project } = service;
    // All of one repository, which is fetched once.
    await store.query(
      `insert into resource (project, name, spec)
       select $1, name, jsonb_build_object('type', 'git', 'name', name, 'url', $3::text, 'branch', 'main') from unnest($2::text[]) name`,
      [project.id, names, git.url("lib")],
    );
    owner = await signedIn(service);
    key = await service.key();
    await service.call(key, "sync", {});
    await service.untilFetched();
    await saveGroup({ store, project, actor: "operator" }, { name: "backend", resources: backend });
    await saveGroup({ store, project, actor: "operator" }, { name: "Small", resources: ["repo-01", "repo-69"] });
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
  });

  const search = async (resources: readonly string[], as = key) => {
    const { isError, content, structuredContent } = await service.call(as, "search", {
      query: "otters",
      mode: "exact",
      limit: 100,
      resources,
    });
    if (isError) return content.map(({ text }) => text).join("\n");
    const results = structuredContent?.["results"];
    return Array.isArray(results) ? [...new Set(results.map(({ resource }) => String(resource)))].toSorted() : [];
  };

  test("a tool reads the resources of a group, however many, with or without @, and beside names", async () => {
    expect(await search(["@small"])).toEqual(["repo-01", "repo-69"]);
    expect(await search(["Small", "repo-02", "@backend"])).toEqual([...backend, "repo-69"]);
    expect(await search(["repo-02"])).toEqual(["repo-02"]);
    const asked = await service.call(key, "ask", { question: "Who lives there?", resources: ["@backend"] });
    expect(asked).toMatchObject({ isError: false, structuredContent: { resources: { length: 25 } } });
  });

  test("what is neither is said", async () => {
    expect(await search(["@frontend"])).toContain('no group named "@frontend"');
    expect(await search(["@small", "nope"])).toContain('no resource named "nope"');
    expect(await search(["@small", "repo-02@main"])).toContain('"repo-02@main" cannot be named together with a group');
    for (const resource of ["backend", "@backend"]) {
      const read = await service.call(key, "read", { resource, path: "a.js" });
      expect([read.isError, read.content[0]?.text]).toEqual([true, expect.stringContaining("no resource named")]);
    }
  });

  test("a group is fetched as one", async () => {
    const managing = await service.key(["manage"]);
    const one = await service.call(managing, "sync", { resource: "@small" });
    expect(one).toMatchObject({
      isError: false,
      structuredContent: { resources: [{ name: "repo-01" }, { name: "repo-69" }] },
    });
    for (const [resource, fault] of [
      ["@nope", 'no group named "@nope"'],
      ["nope", 'no resource named "nope"'],
      ["repo-01@main", 'no resource named "repo-01@main"'],
    ] as const) {
      const refused = await service.call(managing, "sync", { resource });
      expect([refused.isError, refused.content[0]?.text]).toEqual([true, expect.stringContaining(fault)]);
    }
  });

  test("a key that is limited to some resources finds those of a group only, and no group without any", async () => {
    const limited = await service.key(["read"], ["repo-01", "repo-50"]);
    expect(await search(["@backend"], limited)).toEqual(["repo-01"]);
    const none = await service.key(["read"], ["repo-50"]);
    expect(await search(["@backend"], none)).toContain('no group named "@backend"');
    const { structuredContent } = await service.call(none, "listResources");
    expect(structuredContent).not.toHaveProperty("groups");
  });

  test("listResources names the groups, and lists those of one, or with some words", async () => {
    const all = await service.call(key, "listResources");
    expect(all.structuredContent).toMatchObject({
      resources: { length: count },
      groups: [
        { name: "@backend", resources: 25 },
        { name: "@Small", resources: 2 },
      ],
    });
    expect(all.content[0]?.text).toContain("Groups: @backend (25), @Small (2)");
    const one = await service.call(key, "listResources", { filter: "@small" });
    expect(one.structuredContent).toMatchObject({ resources: [{ name: "repo-01" }, { name: "repo-69" }] });
    const some = await service.call(key, "listResources", { filter: "REPO-1 lib" });
    expect(some.structuredContent).toMatchObject({ resources: { length: 10 } });
    const none = await service.call(key, "listResources", { filter: "@nope" });
    expect([none.isError, none.content[0]?.text]).toEqual([true, expect.stringContaining('no group named "@nope"')]);
  });

  test("admins make, change and remove groups on a page", async () => {
    const path = `${base}/groups`;
    const made = await owner.send(path, { group: "@web", members: "repo-03, repo-04\nrepo-04" });
    expect(made.text).toContain("The group is saved.");
    expect(made.text).toMatch(/@web<\/a[\s\S]*?>2</);
    expect((await owner.open(`${path}?edit=web`)).text).toContain("repo-03\nrepo-04");
    for (const [fields, fault] of [
      [{ group: "web", members: "rep-03" }, "Did you mean"],
      [{ group: "a b", members: "repo-03" }, "has letters, digits"],
      [{ group: "BACKEND", members: "repo-03" }, "The group @backend exists"],
    ] as const) {
      const refused = await owner.send(path, fields);
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(fault)]);
    }
    expect(await search(["@web"])).toEqual(["repo-03", "repo-04"]);
    await owner.send(path, { group: "web", members: "" });
    expect((await owner.open(path)).text).not.toContain("@web");
  });

  const lastAbout = async () => {
    const { rows } = await service.store.query("select resources from thread_turn order by id desc limit 1");
    return rows[0]?.["resources"];
  };

  test("a page asks about a group that is ticked, mentioned or typed, and keeps it for the next question", async () => {
    const path = `${base}/ask`;
    const form = await owner.open(path);
    expect(form.text).toContain(`nothing chosen: all ${count} resources`);
    expect(form.text).not.toContain('value="repo-05"');
    const ticked = await owner.send(path, { question: "Who?", resources: "@Small" });
    expect(await lastAbout()).toEqual(["repo-01", "repo-69"]);
    expect(ticked.text).toMatch(/value="@Small"\s+checked/);
    const mentioned = await owner.send(path, { question: "Who lives in @backend?" });
    expect([mentioned.status, await lastAbout()]).toEqual([200, backend]);
    // A conversation that is opened again was about each of them.
    const { rows } = await service.store.query("select id from thread order by asked_at desc limit 1");
    const again = await owner.open(`${path}/${String(rows[0]?.["id"])}`);
    expect(again.text).toMatch(/value="@backend"\s+checked/);
    const typed = await owner.send(path, { question: "Who?", about: "repo-07 repo-08", resources: [] });
    expect(typed.text).toMatch(/id="about"\s+name="about"\s+value="repo-07 repo-08"/);
    const unknown = await owner.send(path, { question: "Who?", about: "nope" });
    expect(unknown.text).toContain("no resource named");
  });

  test("the list of resources is searched by the server: words, group, state", async () => {
    const rows = async (query: string) => {
      const { text } = await owner.open(`${base}/resources${query}`);
      return [...text.matchAll(/<th scope="row">\s*<span class="long">([^<]+)</g)].map(([, name]) => name);
    };
    expect(await rows("")).toEqual(names);
    expect(await rows("?group=Small")).toEqual(["repo-01", "repo-69"]);
    expect(await rows("?q=REPO-6+lib&group=&state=")).toEqual(names.slice(60));
    expect(await rows("?state=failed")).toEqual([]);
    expect(await rows("?q=repo-1&state=ready&group=backend")).toEqual(names.slice(10, 20));
    expect((await owner.open(`${base}/resources?group=nope`)).status).toBe(404);
  });

  test("a long list has pages", async () => {
    const { store, project } = service;
    await store.query(
      `insert into resource (project, name, spec) select $1, 'zoo-' || n, jsonb_build_object('type', 'git', 'name', 'zoo-' || n,
         'url', $2::text, 'branch', 'main') from generate_series(100, 149) n`,
      [project.id, git.url("lib")],
    );
    await service.call(key, "sync", {});
    const first = await owner.open(`${base}/resources`);
    expect(first.text).toContain("Page 1 of 2");
    expect(first.text).not.toContain("zoo-149");
    const [, next = ""] = /href="([^"]+)" rel="next"/.exec(first.text) ?? [];
    const second = await owner.open(next.replaceAll("&amp;", "&"));
    expect(second.text).toContain("zoo-149");
    expect(second.text).not.toContain("repo-05");
    expect(second.text).toContain('rel="prev"');
    await service.untilFetched();
  });
});
