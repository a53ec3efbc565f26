import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createAdmin } from "../../../../server/hosted/admin/admin.ts";
import {
  changeFilters,
  followAccount,
  listFollowed,
  removeHeld,
  requestRun,
  unfollowAccount,
} from "../../../../server/hosted/following/accounts.ts";
import { claimRun, endRun, previewFollowing, runFollowing } from "../../../../server/hosted/following/run.ts";
import { createHostFetches } from "../../../../server/hosted/git-hosts/host-fetches.ts";
import { fetchesOf } from "../../../../server/hosted/jobs/fetches.ts";
import { holdFetches, releaseHeld } from "../../../../server/hosted/jobs/held.ts";
import { setLimits } from "../../../../server/hosted/limits/project-limits.ts";
import { addGitToken } from "../../../../server/hosted/secrets/git-tokens.ts";
import { listAudit } from "../../../../server/hosted/tenants/audit.ts";
import { createProject } from "../../../../server/hosted/tenants/projects.ts";
import { createChannel } from "../../../../server/lib/channel.ts";
import { createLog } from "../../../../server/lib/log.ts";
import { FollowFilters } from "../../../../server/protocol/followed-accounts.ts";
import type { Project } from "../../../../server/protocol/hosted.ts";
import { type GitServer, startGitServer } from "../../../support/git-server.ts";
import { createHostApi, type HostApi } from "../../../support/host-api.ts";
import { startService, type TestService } from "../../../support/hosted.ts";
import { testEngines } from "../../../support/stores.ts";

// Opening an embedded database takes seconds on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const actor = "account:ada";
const { signal } = new AbortController();

describe.each(testEngines())("a followed account on $name", (engine) => {
  let git: GitServer;
  let api: HostApi;
  let service: TestService;
  let project: Project;
  let host: string;
  const logged: string[] = [];
  const ends = createChannel<string>();

  beforeAll(async () => {
    git = await startGitServer();
    host = new URL(git.origin).host;
    for (const name of ["a", "b", "c", "renamed"]) {
      await git.commit(`acme/${name}`, { [`${name}.js`]: `// The otters of ${name}\n` });
    }
    await git.commit("acme/trunked", { "t.js": "// otters\n" }, { branch: "trunk" });
    git.intercept((request, response) => api.answer(request, response));
    service = await startService(await engine.createDatabase(), {
      env: { SSL_CERT_FILE: git.caFile, NODE_EXTRA_CA_CERTS: git.caFile },
      log: createLog("debug", (line) => {
        logged.push(line);
        if (/account-(?:not-)?followed/.test(line)) ends.push(line);
      }),
    });
  });
  beforeEach(async () => {
    project = await createProject(service.store, `team-${crypto.randomUUID().slice(0, 8)}`);
    api = createHostApi("gitea", { origin: git.origin, length: 2 });
    api.repositories = [
      { id: 1, fullName: "acme/a" },
      { id: 2, fullName: "acme/b" },
      { id: 3, fullName: "acme/c" },
      { id: 4, fullName: "acme/old", isArchived: true },
    ];
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
  });

  const services = () => ({ store: service.store, project, actor });
  const place = (filters: unknown = {}) => ({
    kind: "gitea" as const,
    host,
    account: "acme",
    filters: FollowFilters.parse(filters),
  });
  const untilRun = async () => {
    const { value } = await ends[Symbol.asyncIterator]().next();
    await service.untilFetched(project.id);
    return String(value);
  };
  const follow = async (filters?: unknown) => {
    const { id } = await followAccount(services(), { ...place(filters), group: "backend" });
    await untilRun();
    return id;
  };
  const runAgain = async (id: string) => {
    await requestRun(service.store, project, id);
    return untilRun();
  };
  const followed = async () => {
    const [one] = await listFollowed(service.store, project);
    if (one === undefined) throw new Error("nothing is followed");
    return one;
  };
  const states = async () =>
    Object.fromEntries(
      [...(await fetchesOf(service.store, project.id).states())].map(([name, one]) => [name, one.state]),
    );
  const resources = async () => {
    const { rows } = await service.store.query(
      "select name, spec->>'url' as url, spec->>'branch' as branch from resource where project = $1 order by name",
      [project.id],
    );
    return rows.map(
      ({ name, url, branch }) => `${String(name)} ${String(url).replace(git.origin, "")}#${String(branch)}`,
    );
  };
  const addByHand = (name: string, repository: string) =>
    service.store.query("insert into resource (project, name, spec) values ($1, $2, $3::jsonb)", [
      project.id,
      name,
      JSON.stringify({ type: "git", name, url: git.url(repository), branch: "main" }),
    ]);

  test("its repositories are added and fetched, by the token of the project", async () => {
    api.authorization = "Bearer secret";
    const { store, keys } = service;
    await addGitToken({ store, keys, project, actor }, { host, name: "robot", token: "secret" });
    await follow();
    expect(await states()).toEqual({ a: "ready", b: "ready", c: "ready" });
    expect(await followed()).toMatchObject({
      failure: null,
      listedAt: expect.any(String),
      isRunning: false,
      lastRun: { listed: 4, leftOut: [{ repository: "acme/old", reason: "it is archived" }], held: [] },
    });
    const audit = await listAudit(store, project.id);
    expect(audit.filter(({ target }) => target === `${host}/acme`).map((one) => [one.actor, one.action])).toEqual([
      ["worker", "account.followed-up"],
      [actor, "account.followed"],
    ]);
    expect(logged.join("\n")).not.toContain("secret");
  });

  test("new ones appear, those that are archived or gone go, renamed ones follow; what people added stays", async () => {
    await addByHand("mine", "acme/b");
    const id = await follow({ exclude: ["b"] });
    expect(await resources()).toEqual(["a /acme/a.git#main", "c /acme/c.git#main", "mine /acme/b#main"]);
    api.repositories = [
      { id: 1, fullName: "acme/renamed" },
      { id: 3, fullName: "acme/c", isArchived: true },
      { id: 5, fullName: "acme/trunked", branch: "trunk" },
      { id: 6, fullName: "acme/a" },
    ];
    await runAgain(id);
    expect(await resources()).toEqual([
      "a /acme/renamed.git#main",
      "acme/a /acme/a.git#main",
      "mine /acme/b#main",
      "trunked /acme/trunked.git#trunk",
    ]);
    expect(await states()).toMatchObject({ a: "ready", "acme/a": "ready", trunked: "ready" });
    const { lastRun } = await followed();
    expect(lastRun?.removed).toEqual([{ name: "c", reason: "it is archived" }]);
    // Unchanged, nothing is fetched again, and nothing recorded.
    const before = [
      git.requests.filter((one) => one.includes("git-upload-pack")).length,
      await listAudit(service.store, project.id),
    ];
    await runAgain(id);
    const after = [
      git.requests.filter((one) => one.includes("git-upload-pack")).length,
      await listAudit(service.store, project.id),
    ];
    expect(after).toEqual(before);
  });

  test("a host that fails, or breaks off its list, changes nothing, and says so until it works again", async () => {
    const id = await follow();
    const before = await resources();
    for (const [page, status] of [
      ["2", 500],
      [null, 404],
      [null, 401],
    ] as const) {
      api.intercept = (_request, response, url) => {
        if (url.searchParams.get("page") !== page) return false;
        response.writeHead(status).end("{}");
        return true;
      };
      expect(await runAgain(id)).toContain("account-not-followed");
      expect(await resources()).toEqual(before);
      expect(await followed()).toMatchObject({
        failure: expect.stringContaining(host),
        failingSince: expect.any(String),
      });
    }
    api.intercept = undefined;
    await runAgain(id);
    expect(await followed()).toMatchObject({ failure: null, failingSince: null });
  });

  test("an empty list removes nothing until a person confirms what they saw", async () => {
    const id = await follow();
    api.repositories = [{ id: 9, fullName: "acme/new", isEmpty: true }];
    await runAgain(id);
    expect(await resources()).toHaveLength(3);
    expect((await followed()).lastRun?.held.map(({ name }) => name)).toEqual(["a", "b", "c"]);
    await expect(removeHeld(services(), { id, count: 2 })).rejects.toThrow("found 3 resources to remove, not 2");
    await removeHeld(services(), { id, count: 3 });
    expect(await resources()).toEqual([]);
    expect((await followed()).lastRun?.held).toEqual([]);
  });

  test("fetches that the hour does not allow wait, and are released when it does", async () => {
    await setLimits(service.store, project.id, { fetches: 2, resources: 3 });
    api.repositories = ["a", "b", "c", "renamed"].map((name, id) => ({ id, fullName: `acme/${name}` }));
    const id = await followAccount(services(), { ...place(), group: "backend" });
    await ends[Symbol.asyncIterator]().next();
    await vi.waitFor(async () => expect(await states()).toEqual({ a: "ready", b: "ready", c: "waiting" }), {
      timeout: 60_000,
    });
    expect((await followed()).lastRun?.leftOut).toEqual([
      { repository: "acme/renamed", reason: "the project's limit of 3 resources is reached" },
    ]);
    expect(await releaseHeld(service.store, project.id)).toEqual({ released: 0, waiting: 1 });
    await setLimits(service.store, project.id, { fetches: 3 });
    await runAgain(id.id);
    expect(await states()).toEqual({ a: "ready", b: "ready", c: "ready" });
    await service.store.query("update job set attempts = 9, failure = 'no' where project = $1 and resource = 'a'", [
      project.id,
    ]);
    await service.store.asProject(project.id, (queries) => holdFetches(queries, project.id, ["a", "b", "c"]));
    expect(await releaseHeld(service.store, project.id)).toEqual({ released: 0, waiting: 3 });
    expect((await fetchesOf(service.store, project.id).states()).get("a")).toMatchObject({
      state: "failed",
      nextTryAt: expect.stringMatching(/:00:00\.000Z$/),
    });
  });

  test("a full disk holds fetches, too", async () => {
    await setLimits(service.store, project.id, { diskGb: 0 });
    await followAccount(services(), { ...place(), group: "backend" });
    await ends[Symbol.asyncIterator]().next();
    expect(await states()).toEqual({ a: "waiting", b: "waiting", c: "waiting" });
    expect(await releaseHeld(service.store, project.id)).toEqual({ released: 0, waiting: 3 });
  });

  const runServices = async () => ({
    store: service.store,
    keys: service.keys,
    githubApp: undefined,
    allowHosts: ["localhost"],
    fetches: createHostFetches(async () => ({ ca: [await readFile(git.caFile, "utf8")] })),
  });

  test("a dry run shows what would change, and changes nothing", async () => {
    const preview = await previewFollowing(
      await runServices(),
      project.id,
      place({ include: ["[ab]", "b"].slice(1) }),
      { signal },
    );
    expect(preview).toMatchObject({ listed: 4, added: [{ name: "b", branch: "main" }], removed: [] });
    expect(preview.leftOut).toHaveLength(3);
    expect([await resources(), await listFollowed(service.store, project)]).toEqual([[], []]);
    const id = await follow();
    const narrowed = await previewFollowing(
      await runServices(),
      project.id,
      { id, ...place({ include: ["b"] }) },
      { signal },
    );
    expect(narrowed.removed.map(({ name }) => name)).toEqual(["a", "c"]);
    expect(await resources()).toHaveLength(3);
    await changeFilters(services(), { id, filters: place({ include: ["b"] }).filters, addsLimited: false });
    await untilRun();
    expect(await resources()).toEqual(["b /acme/b.git#main"]);
  });

  test("new resources are for owners and admins only, if the account was followed so", async () => {
    const { id } = await followAccount(services(), {
      ...place({ include: ["a"] }),
      group: "backend",
      addsLimited: true,
    });
    await untilRun();
    await changeFilters(services(), { id, filters: place({ include: ["a", "b"] }).filters, addsLimited: false });
    await untilRun();
    const { rows } = await service.store.query(
      "select name, is_limited from resource where project = $1 order by name",
      [project.id],
    );
    expect(rows).toEqual([
      { name: "a", is_limited: true },
      { name: "b", is_limited: false },
    ]);
  });

  test("a run whose lease another process has taken changes nothing", async () => {
    const id = await follow();
    await requestRunQuietly(id);
    const run = await claimRun(service.store, { leaseMs: 60_000 });
    if (run?.id !== id) throw new Error("another run was claimed");
    expect(await claimRun(service.store, { leaseMs: 60_000 })).toBeUndefined();
    await service.store.query("update followed_account set lease = gen_random_uuid() where id = $1", [id]);
    api.repositories.push({ id: 7, fullName: "acme/renamed" });
    await expect(runFollowing(await runServices(), run, { signal })).rejects.toMatchObject({ tag: "Cancelled" });
    expect(await resources()).toHaveLength(3);
    // A process that was killed leaves its lease, which ends.
    await service.store.query("update followed_account set lease_until = now(), run_at = now() where id = $1", [id]);
    const next = await claimRun(service.store, { leaseMs: 60_000 });
    expect(next?.id).toBe(id);
    if (next === undefined) return;
    // A run that is requested while another runs is not lost.
    await requestRunQuietly(id);
    await endRun(service.store, next);
    expect((await claimRun(service.store, { leaseMs: 60_000 }))?.id).toBe(id);
    await service.store.query("delete from followed_account where id = $1", [id]);
  });

  /** Without waking the service, which would claim it first. */
  const requestRunQuietly = (id: string) =>
    service.store.query("update followed_account set run_at = now() where id = $1", [id]);

  test("the operator follows, lists, runs and stops", async () => {
    const { store, keys } = service;
    const admin = createAdmin(store, { keys });
    const ofProject = { project: project.name };
    const added = await admin("followAccount", {
      ...ofProject,
      kind: "gitea",
      place: `https://${host}/acme`,
      filters: {},
    });
    expect(added).toMatchObject({ host, account: "acme", group: "acme", resources: 0 });
    await untilRun();
    const { accounts } = await admin("listFollowed", ofProject);
    expect(accounts).toMatchObject([{ resources: 3, fetched: 3, failed: 0, held: 0, heldRemovals: 0, failure: null }]);
    api.repositories.push({ id: 12, fullName: "acme/renamed" });
    expect(await admin("runFollowed", { ...ofProject, place: `${host}/ACME/` })).toMatchObject({ account: "acme" });
    await untilRun();
    expect(await states()).toMatchObject({ renamed: "ready" });
    await expect(admin("runFollowed", { ...ofProject, place: "nobody" })).rejects.toThrow('does not follow "nobody"');
    const wrong = admin("followAccount", { ...ofProject, kind: "gitea", place: `${host}/a/b`, filters: {} });
    await expect(wrong).rejects.toThrow("has no groups in groups");
    await admin("unfollowAccount", { ...ofProject, place: `${host}/acme`, removesResources: true });
    expect([await resources(), await listFollowed(store, project)]).toEqual([[], []]);
  });

  test("what is not followed any more stays as if it was added by hand, or goes", async () => {
    const id = await follow();
    await expect(followAccount(services(), { ...place(), account: "ACME", group: "other" })).rejects.toMatchObject({
      tag: "AlreadyExists",
    });
    await unfollowAccount(services(), { id, removesResources: false });
    expect(await resources()).toHaveLength(3);
    const again = await follow();
    expect((await followed()).lastRun?.leftOut[0]?.reason).toBe("it was added by hand, as a");
    await unfollowAccount(services(), { id: again, removesResources: true });
    expect(await resources()).toHaveLength(3);
    await service.store.query("delete from resource where project = $1", [project.id]);
    const last = await follow();
    await unfollowAccount(services(), { id: last, removesResources: true });
    expect(await resources()).toEqual([]);
    await expect(requestRun(service.store, project, last)).rejects.toMatchObject({ tag: "ResourceNotFound" });
    await expect(requestRun(service.store, project, "1")).rejects.toMatchObject({ tag: "ResourceNotFound" });
  });
});
