import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { readUsage } from "../../../../server/hosted/limits/project-limits.ts";
import { addGitToken } from "../../../../server/hosted/secrets/git-tokens.ts";
import { type GitServer, startGitServer } from "../../../support/git-server.ts";
import { startService, type TestService } from "../../../support/hosted.ts";
import { type NpmRegistry, startNpmRegistry } from "../../../support/npm-registry.ts";
import { testEngines } from "../../../support/stores.ts";
import { signedIn } from "../../../support/visitor.ts";

// Opening an embedded database takes seconds on a busy machine.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const token = "glpat-0123456789abcdefgh";

describe.each(testEngines())("other revisions of registered resources on $name", (engine) => {
  let git: GitServer;
  let registry: NpmRegistry;
  let service: TestService;
  let key: string;
  let first: string;
  let forked: string;

  beforeAll(async () => {
    git = await startGitServer();
    for (const name of ["lib", "secret"]) {
      first = await git.commit(name, { "a.ts": "export function send(body: string) {}\n" }, { message: "Send" });
      await git.git(name, ["tag", "v1.0.0"]);
      await git.commit(name, { "b.ts": "export const walrus = 1;\n" }, { branch: "develop", message: "Add a walrus" });
      await git.commit(name, { "a.ts": "export function send(body: string, status: number) {}\n" });
      await git.git(name, ["tag", "v2.0.0"]);
      await git.git(name, ["tag", "newest"]);
      await git.git(name, ["config", "uploadpack.allowAnySHA1InWant", "true"]);
      forked = await git.commit(name, { "a.ts": "// planted-fork\n" }, { branch: "fork" });
      await git.git(name, ["update-ref", "-d", "refs/heads/fork"]);
    }
    await git.commit("parts", { "docs/a.md": "one\n", "src/b.ts": "// planted-part\n" });
    git.intercept((request, response) => {
      const isAllowed = request.headers.authorization === `Basic ${btoa(`oauth2:${token}`)}`;
      if (request.url?.startsWith("/secret") !== true || isAllowed) return false;
      response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
      return true;
    });
    registry = await startNpmRegistry();
    registry.publish({ name: "otter", version: "1.0.0", files: "//- index.js\nexports.swim = () => 1;\n" });
    registry.publish({ name: "otter", version: "2.0.0", files: "//- index.js\nexports.dive = () => 2;\n" });
    service = await startService(await engine.createDatabase(), {
      env: { SSL_CERT_FILE: git.caFile, NODE_EXTRA_CA_CERTS: git.caFile },
      registries: { npm: registry.url },
    });
    const { store, keys, project } = service;
    const place = { host: `${new URL(git.origin).host}/secret`, username: "oauth2" };
    await addGitToken({ store, keys, project, actor: "operator" }, { ...place, name: "ci", token });
    key = await service.key();
    for (const name of ["lib", "secret"]) {
      await service.call(key, "addResource", { type: "git", name, url: git.url(name) });
    }
    await service.call(key, "addResource", { type: "git", name: "docs", url: git.url("parts"), searchPaths: ["docs"] });
    await service.call(key, "addResource", { type: "npm", name: "pool", package: "otter" });
    await service.untilFetched();
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await registry[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
  });

  const textOf = async (tool: string, args: Record<string, unknown>, by = key) =>
    (await service.call(by, tool, args)).content.map(({ text }) => text).join("\n");

  test.each(["lib", "secret"])(
    "a branch, a tag and a commit of %s are searched, read and asked about",
    async (name) => {
      const exact = { mode: "exact", resources: [`${name}@develop`] };
      expect(await textOf("search", { ...exact, query: "walrus" })).toContain("export const walrus = 1;");
      expect(await textOf("read", { resource: `${name}@v1.0.0`, path: "a.ts" })).toContain("send(body: string) {}");
      const commit = (await git.git(name, ["rev-parse", "v1.0.0"])).trim();
      for (const id of [commit, commit.slice(0, 9)]) {
        expect(await textOf("read", { resource: `${name}@${id}`, path: "a.ts" })).toContain("send(body: string) {}");
      }
      const { structuredContent } = await service.call(key, "ask", {
        question: "What does `send` take?",
        resources: [`${name}@v1.0.0`],
      });
      expect(structuredContent).toMatchObject({
        resources: [`${name}@v1.0.0`],
        citations: expect.arrayContaining([
          expect.objectContaining({ resource: `${name}@v1.0.0`, revision: commit, state: "verified" }),
        ]),
      });
      expect(await textOf("history", { resource: `${name}@develop`, text: "walrus" })).toContain("Add a walrus");
    },
  );

  test("a commit of no branch and no tag is not fetched", async () => {
    for (const id of [forked, forked.slice(0, 9)]) {
      const text = await textOf("read", { resource: `secret@${id}`, path: "a.ts" });
      expect(text).toMatch(/^BranchNotFound: /);
      expect(text).not.toContain("planted-fork");
      const compared = await textOf("compare", { before: `secret@${id}`, after: "secret" });
      expect(compared).toMatch(/^BranchNotFound: /);
    }
  });

  test("an unknown revision fails with names that are near", async () => {
    expect(await textOf("read", { resource: "lib@v1.0.1", path: "a.ts" })).toMatch(
      /^BranchNotFound: .* has no branch or tag "v1\.0\.1"\nWhat to do: branches: main, develop; tags: v1\.0\.0, v2\.0\.0$/,
    );
    expect(await textOf("search", { query: "swim", resources: ["pool@9.9.9"] })).toMatch(/^VersionNotFound: /);
    expect(await textOf("read", { resource: "docs@main", path: "src/b.ts" })).toMatch(
      /^InvalidRequest: resource "docs@main": docs is a part of its repository/,
    );
    expect(await textOf("read", { resource: "lib@--upload-pack=x", path: "a.ts" })).toMatch(/^InvalidRequest: /);
  });

  test("branches and tags are listed", async () => {
    expect((await service.call(key, "listRevisions", { resource: "secret" })).structuredContent).toEqual({
      main: "main",
      branches: ["develop", "main"],
      tags: ["newest", "v1.0.0", "v2.0.0"],
    });
    const filtered = await service.call(key, "listRevisions", { resource: "lib", filter: "v2" });
    expect(filtered.structuredContent).toMatchObject({ branches: [], tags: ["v2.0.0"] });
    expect(await textOf("listRevisions", { resource: "pool" })).toMatch(/^InvalidRequest: pool is no repository/);
  });

  test("a version of a registered package is searched and read under its name", async () => {
    expect(await textOf("search", { query: "swim", mode: "exact", resources: ["pool@1"] })).toContain("exports.swim");
    expect(await textOf("read", { resource: "pool@1.0.0", path: "index.js" })).toContain("exports.swim");
    expect(await textOf("history", { resource: "pool" })).toContain("1.0.0");
  });

  test.each([
    [{ before: "lib@v1.0.0", after: "v2.0.0" }, "send"],
    [{ before: "lib@v1", after: "lib" }, "send"],
    [{ before: "secret@v1.0.0", after: "secret@v2.0.0", place: "send" }, "status: number"],
    [{ before: "pool@1", after: "2.0.0" }, "swim"],
    [{ before: "lib", after: "develop" }, "walrus"],
    [{ before: "secret@develop", after: "v1.0.0" }, "walrus"],
  ])("two revisions are compared: %j", async (args, expected) => {
    const { isError, content, structuredContent } = await service.call(key, "compare", args);
    expect({ isError, text: content[0]?.text, structuredContent }).toMatchObject({
      isError: false,
      text: expect.stringContaining(expected),
      structuredContent: { definitionCounts: expect.objectContaining({ moved: 0 }) },
    });
  });

  test("a question about two revisions is answered from what differs", async () => {
    const { structuredContent } = await service.call(key, "ask", {
      question: "What changed in `send`?",
      resources: ["lib@v1.0.0", "lib@v2.0.0"],
    });
    expect(structuredContent).toMatchObject({
      answer: expect.stringContaining("+export function send(body: string, status: number) {}"),
      citations: expect.arrayContaining([
        expect.objectContaining({ resource: "lib@v1.0.0", state: "verified" }),
        expect.objectContaining({ resource: "lib@v2.0.0", state: "verified" }),
      ]),
    });
  });

  test("on the page, citations of commits and of other revisions open", async () => {
    const visitor = await signedIn(service);
    const base = `/p/${service.project.name}`;
    const page = await visitor.send(`${base}/ask`, { question: "When was `walrus` added to @lib@develop?" });
    const links = [...page.text.matchAll(/<a\s+class="cite"\s+href="([^"]+)"/g)].map(([, link = ""]) =>
      link.replaceAll("&amp;", "&").replace(/#.*/, ""),
    );
    const sources = await Promise.all(links.map((link) => visitor.open(link)));
    expect(sources.map(({ status }) => status)).toEqual(links.map(() => 200));
    const commit = sources.find(({ text }) => text.includes("<h1><bdi>Commit "))?.text;
    expect(commit).toContain("| Add a walrus");
    expect(commit).not.toContain("test@example.com");
    expect(sources.some(({ text }) => /<mark[^>]*>.*walrus/s.test(text))).toBe(true);
    // Neither a commit nor lines.
    expect((await visitor.open(`${base}/source?resource=lib&path=a.ts&revision=${first}`)).status).toBe(400);
  });

  test("what is fetched counts for the disk space and the fetches of the project", async () => {
    const { store, project } = service;
    const kept = async () => {
      const { rows } = await store.query(
        "select resource, revision, bytes > 0 as counts from kept_revision where project = $1 and resource = 'lib' order by revision",
        [project.id],
      );
      return rows;
    };
    await textOf("history", { resource: "lib", place: "a.ts" });
    await textOf("read", { resource: "lib@v1.0.0", path: "a.ts" });
    expect(await kept()).toEqual(
      expect.arrayContaining([
        { resource: "lib", revision: "", counts: true },
        { resource: "lib", revision: "v1.0.0", counts: true },
      ]),
    );
    const before = await readUsage(store, project.id);
    const size = await store.query("select sum(disk_bytes)::float8 as own from resource where project = $1", [
      project.id,
    ]);
    expect(before.diskGb * 1e9).toBeGreaterThan(Number(size.rows[0]?.["own"]));
    // The same one again is no other fetch.
    await textOf("read", { resource: "lib@v1.0.0", path: "a.ts" });
    expect((await readUsage(store, project.id)).fetches).toBe(before.fetches);
    const limit = (limits: object) =>
      store.query("update project set limits = $2::jsonb where id = $1", [project.id, JSON.stringify(limits)]);
    await limit({ fetches: before.fetches });
    const params = { name: "read", arguments: { resource: "lib@newest", path: "a.ts" } };
    const refused = await service.send(key, { jsonrpc: "2.0", id: 1, method: "tools/call", params });
    expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining("fetches an hour")]);
    await limit({ diskGb: 0 });
    expect(await textOf("read", { resource: "lib@newest", path: "a.ts" })).toMatch(/^ResourceTooLarge: /);
    await limit({});
    expect(await textOf("read", { resource: "lib@newest", path: "a.ts" })).toContain("status: number");
  });

  test("only what is registered can be compared", async () => {
    for (const args of [
      { before: `${git.url("secret")}@v1.0.0`, after: "v2.0.0" },
      { before: "lib@v1.0.0", after: `${git.url("secret")}@v2.0.0` },
      { before: "npm:otter@1", after: "2" },
    ]) {
      expect(await service.call(key, "compare", args)).toMatchObject({ isError: true });
    }
    expect(first).not.toBe(forked);
  });
});
