import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { listFollowed } from "../../../../server/hosted/following/accounts.ts";
import { createInvite } from "../../../../server/hosted/tenants/links.ts";
import { type GitServer, startGitServer } from "../../../support/git-server.ts";
import { createHostApi, type HostApi } from "../../../support/host-api.ts";
import { startService, type TestService } from "../../../support/hosted.ts";
import { testEngines } from "../../../support/stores.ts";
import { createVisitor, signedIn, testPassword, type Visitor } from "../../../support/visitor.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

describe.each(testEngines())("the page of followed accounts on $name", (engine) => {
  let git: GitServer;
  let api: HostApi;
  let service: TestService;
  let owner: Visitor;
  let base: string;
  let place: string;
  beforeAll(async () => {
    git = await startGitServer();
    api = createHostApi("gitlab", { origin: git.origin, length: 2 });
    for (const name of ["a", "b"]) await git.commit(`acme/team/${name}`, { "a.js": "// otters\n" });
    api.repositories = [
      { id: 1, fullName: "acme/team/a" },
      { id: 2, fullName: "acme/team/b" },
      { id: 3, fullName: "acme/team/missing" },
      { id: 4, fullName: "acme/team/fork", isFork: true },
    ];
    git.intercept((request, response) => api.answer(request, response));
    service = await startService(await engine.createDatabase(), {
      env: { SSL_CERT_FILE: git.caFile, NODE_EXTRA_CA_CERTS: git.caFile },
    });
    base = `/p/${service.project.name}/followed`;
    place = `${new URL(git.origin).host}/acme/team`;
    owner = await signedIn(service);
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
  });

  const only = async () => {
    const [one] = await listFollowed(service.store, service.project);
    if (one === undefined) throw new Error("nothing is followed");
    return one;
  };
  const untilListed = async (before: string | null = null) => {
    await vi.waitFor(async () => expect((await only()).listedAt).not.toBe(before), { timeout: 60_000 });
    await service.untilFetched();
  };

  test("what is wrong with the form is at its fields; what the host says, above it", async () => {
    const send = (fields: Record<string, string>) =>
      owner.send(base, { kind: "github", place: "github.com/acme", do: "preview", ...fields });
    const wrong = await send({ place: "github.com", include: "a?b", maxMb: "-1" });
    expect(wrong.status).toBe(400);
    for (const text of [
      "the name of the organization or group is missing",
      "a pattern has letters, digits",
      "more than 0",
      'value="a?b"',
      "3 fields need another value.",
    ]) {
      expect(wrong.text).toContain(text);
    }
    expect((await send({ place: "github.com/acme/team" })).text).toContain("GitHub has no groups in groups");
    const unknown = await send({ kind: "gitlab", place: place.replace("acme/team", "nobody") });
    expect([unknown.status, unknown.text]).toEqual([
      400,
      expect.stringContaining("has no account &quot;nobody&quot;, or hides it"),
    ]);
    const hidden = await send({ kind: "gitlab", place: "127.0.0.1/acme" });
    expect(hidden.text).toContain("127.0.0.1 could not be reached: no public address of it is known");
    expect(await listFollowed(service.store, service.project)).toEqual([]);
  });

  test("a dry run shows a table and stores nothing; then the account is followed, and its progress shown", async () => {
    const fields = { kind: "gitlab", place, exclude: "b", limited: "on" };
    const preview = await owner.send(base, { ...fields, do: "preview" });
    expect(preview.status).toBe(200);
    expect(preview.text).toMatch(/Of 4 repositories: 2 added, 0 moved, 2 left out\./);
    expect(preview.text).toMatch(/acme\/team\/fork.*left out.*it is a fork/s);
    expect(preview.text).toMatch(/name="exclude"\s+type="text"\s+value="b"/);
    expect(preview.text).toMatch(/name="limited"\s+checked/);
    expect(await listFollowed(service.store, service.project)).toEqual([]);

    const followed = await owner.send(base, { ...fields, do: "follow" });
    expect(followed.text).toContain("The account is followed.");
    await untilListed();
    const { id } = await only();
    const page = await owner.open(`${base}/${id}`);
    expect(page.text).toContain("group @team");
    expect(page.text).toContain("1 of 2 fetched, 1 failed");
    expect((await owner.open(base)).text).toContain("1 of 2 fetched, 1 failed");
    // The script looks again only while something waits or runs.
    expect(page.text).not.toContain("data-pending");
    await service.store.query("update job set requested_at = now(), run_at = 'infinity', attempts = 0, failure = null");
    const waiting = await owner.open(`${base}/${id}`);
    expect(waiting.text).toMatch(/data-pending>0 of 2 fetched, 2 waiting, 2 of them for the limits of the project/);
    expect(waiting.text).toContain(`<progress value="0" max="2"`);
    await service.store.query("update job set run_at = now()");
    await service.store.query("select pg_notify('citewell_job_waiting', '')");
    await service.untilFetched();
    const again = await owner.send(base, { ...fields, do: "follow" });
    expect([again.status, again.text]).toEqual([
      400,
      expect.stringContaining("is followed, or the group @team is taken"),
    ]);
  });

  test("what failed is fetched again with one button", async () => {
    const { id } = await only();
    await git.commit("acme/team/missing", { "a.js": "// otters\n" });
    const { text } = await owner.open(`${base}/${id}`);
    expect(text).toContain("Fetch the 1 that failed");
    await owner.send(`${base}/${id}/failed`);
    await service.untilFetched();
    const page = await owner.open(`${base}/${id}`);
    expect(page.text).toContain("2 of 2 fetched");
    expect(page.text).not.toContain("that failed");
  });

  test("filters are previewed and changed, and held removals confirmed", async () => {
    const { id, listedAt } = await only();
    const path = `${base}/${id}`;
    const preview = await owner.send(path, { include: "b", do: "preview" });
    expect(preview.text).toMatch(/1 added, 0 moved, 3 left out|1 added/);
    expect(preview.text).toMatch(/2\s+resources removed/);
    expect((await only()).filters.exclude).toEqual(["b"]);
    await owner.send(path, { exclude: "missing", do: "follow" });
    await untilListed(listedAt);
    expect((await only()).filters).toMatchObject({ include: [], exclude: ["missing"] });
    api.repositories = [{ id: 9, fullName: "acme/team/empty", isEmpty: true }];
    const { listedAt: last } = await only();
    await owner.send(`${path}/run`);
    await untilListed(last);
    expect((await owner.open(path)).text).toContain("Remove these 2");
    expect((await owner.send(`${path}/removals`, { count: "1" })).status).toBe(400);
    const removed = await owner.send(`${path}/removals`, { count: "2" });
    expect([removed.text.includes("The resources are removed."), removed.text.includes("Remove these")]).toEqual([
      true,
      false,
    ]);
  });

  test("members have no such page, and after it is stopped there is none", async () => {
    const { id } = await only();
    const member = createVisitor(service.url);
    const { token } = await createInvite(service.store, service.project, { role: "member", actor: "operator" });
    await member.send(`/link/${token}`, { email: "member@example.com", password: testPassword });
    for (const path of [base, `${base}/${id}`]) expect((await member.open(path)).status).toBe(403);
    for (const path of ["", `/${id}`, `/${id}/run`, `/${id}/failed`, `/${id}/removals`, `/${id}/stop`]) {
      expect((await member.send(base + path)).status).toBe(403);
    }
    const stopped = await owner.send(`${base}/${id}/stop`, { resources: "remove" });
    expect(stopped.text).toContain("The account is not followed any more.");
    expect((await owner.open(`${base}/${id}`)).status).toBe(404);
    // A form's address from the address bar leads to its page.
    expect((await owner.open(`${base}/${id}/run`)).path).toBe(base);
  });
});
