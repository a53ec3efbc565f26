import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listTables, readRows } from "../../../../server/hosted/store/tables.ts";
import { createInvite } from "../../../../server/hosted/tenants/links.ts";
import { createFetch, type Fetch } from "../../../../server/lib/fetch.ts";
import { type GitServer, startGitServer } from "../../../support/git-server.ts";
import { createHostApi } from "../../../support/host-api.ts";
import { createHostPeople, type HostPeople } from "../../../support/host-people.ts";
import { startService, type TestService } from "../../../support/hosted.ts";
import { postgresEngines } from "../../../support/stores.ts";
import { createVisitor, signedIn, testPassword, type Visitor } from "../../../support/visitor.ts";

// A node without a worker needs PostgreSQL; what the rights do is in host-rights/refresh.
describe.each(postgresEngines())("the forms for rights of a git host, on $name", (engine) => {
  let git: GitServer;
  let service: TestService;
  let owner: Visitor;
  let eve: Visitor;
  let people: HostPeople;
  let fetch: Fetch;
  let host: string;
  let base: string;

  beforeAll(async () => {
    git = await startGitServer();
    host = new URL(git.origin).host;
    people = createHostPeople("gitlab");
    const api = createHostApi("gitlab", { origin: git.origin });
    api.intercept = people.answer;
    git.intercept((request, response) => api.answer(request, response));
    service = await startService(await engine.createDatabase(), {
      role: "web",
      env: { SSL_CERT_FILE: git.caFile, NODE_EXTRA_CA_CERTS: git.caFile },
    });
    fetch = createFetch({ ca: [await readFile(git.caFile, "utf8")] });
    base = `/p/${service.project.name}`;
    owner = await signedIn(service, "owner@example.com", { fetch });
    eve = await join("eve");
    people.persons.set("Bearer glpat-of-eve", { id: 11, login: "eve-at-gitlab" });
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

  test("an admin lets the host decide for a group; what is wrong with the place is said beside it", async () => {
    expect((await eve.open("/account")).text).not.toContain("Git hosts");
    const wrong = await owner.send(`${base}/rights`, { kind: "gitlab", place: host });
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining("name of the organization or group")]);
    const page = await owner.send(`${base}/rights`, { kind: "gitlab", place: `${host}/acme/team` });
    expect([page.path, page.text]).toEqual([
      `${base}/tokens?done=rights`,
      expect.stringContaining(`${host}/acme/team`),
    ]);
    expect(page.text).toContain("not checked yet");
    const again = await owner.send(`${base}/rights`, { kind: "gitlab", place: `${host}/acme/team` });
    expect([again.status, again.text]).toEqual([400, expect.stringContaining("decides already")]);
  });

  test("a member proves with a token who they are; it is not stored, and a wrong one is refused", async () => {
    const before = await eve.open("/account");
    expect(before.text).toContain("You have not proved who you are there.");
    expect(before.text).toContain("A personal access token with the scope read_user is enough.");
    const wrong = await eve.send("/account/host", { host, token: "glpat-wrong" });
    expect([wrong.status, wrong.text]).toEqual([401, expect.stringContaining("refused the token")]);
    expect(wrong.text).toContain("the right to read your own account");
    const proved = await eve.send("/account/host", { host, token: "glpat-of-eve" });
    expect([proved.path, proved.text]).toEqual(["/account?done=proved", expect.stringContaining("eve-at-gitlab")]);
    const { store } = service;
    const rows = await store.tx(async (queries) => {
      const found: string[] = [];
      for (const table of await listTables(queries)) {
        for await (const batch of readRows(queries, table)) found.push(...batch);
      }
      return found;
    });
    expect(rows.some((row) => row.includes("eve-at-gitlab"))).toBe(true);
    expect(rows.filter((row) => row.includes("glpat-of-eve"))).toEqual([]);
    // A form of another site, and another person.
    const forged = await eve.send("/account/host", { host, token: "glpat-of-eve" }, { "sec-fetch-site": "cross-site" });
    expect(forged.status).toBe(403);
    const bob = await join("bob");
    const taken = await bob.send("/account/host", { host, token: "glpat-of-eve" });
    expect([taken.status, taken.text]).toEqual([400, expect.stringContaining("belongs to another account here")]);
    const elsewhere = await bob.send("/account/host", { host: "git.example", token: "glpat-of-eve" });
    expect(elsewhere.status).toBe(400);
  });

  test("a member cannot change who decides", async () => {
    expect(await eve.send(`${base}/rights`, { kind: "gitlab", place: `${host}/other` })).toMatchObject({ status: 403 });
    const { rows } = await service.store.query("select id from host_rights");
    expect(await eve.send(`${base}/rights/${String(rows[0]?.["id"])}/end`)).toMatchObject({ status: 403 });
    const ended = await owner.send(`${base}/rights/${String(rows[0]?.["id"])}/end`);
    expect(ended.text).toContain("Admins decide now.");
    expect((await owner.send(`${base}/rights/none/end`)).status).toBe(404);
  });
});
