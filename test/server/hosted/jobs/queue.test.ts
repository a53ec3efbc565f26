import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { fetchesOf } from "../../../../server/hosted/jobs/fetches.ts";
import {
  claimJob,
  completeJob,
  failJob,
  type Job,
  releaseJob,
  renewLease,
  requestDailyFetches,
  writeProgress,
} from "../../../../server/hosted/jobs/queue.ts";
import { requireFetchable } from "../../../../server/hosted/projects/fetchable.ts";
import type { Store } from "../../../../server/hosted/store/store.ts";
import { createProject } from "../../../../server/hosted/tenants/projects.ts";
import { openTestStore, testEngines } from "../../../support/stores.ts";

const leaseMs = 60_000;

describe.each(testEngines())("the queue of fetches on $name", (engine) => {
  let store: Store;
  beforeAll(async () => {
    store = await openTestStore(engine);
  });
  afterAll(() => store.close());
  beforeEach(() => store.exec("truncate project cascade"));

  /** A project with resources whose fetches wait, in this order. */
  async function add(name: string, ...resources: string[]) {
    const { id } = await createProject(store, name);
    const fetches = fetchesOf(store, id);
    for (const resource of resources) {
      await store.query(`insert into resource (project, name, spec) values ($1, $2, '{"type":"npm"}')`, [id, resource]);
      await fetches.request([resource]);
    }
    return { id, fetches, stateOf: async (resource: string) => (await fetches.states()).get(resource) };
  }

  async function claim(): Promise<Job> {
    const job = await claimJob(store, { leaseMs });
    if (job === undefined) throw new Error("no job is due");
    return job;
  }
  const makeDue = () => store.exec("update job set run_at = now()");

  test("of one resource, one fetch runs and one waits", async () => {
    const { fetches, stateOf } = await add("a", "lib");
    expect(await stateOf("lib")).toMatchObject({ state: "waiting", since: expect.any(String), failure: null });
    await fetches.request(["lib"]);
    const first = await claim();
    expect(first).toMatchObject({ resource: "lib" });
    expect(await stateOf("lib")).toMatchObject({ state: "running" });
    await fetches.request();
    await fetches.request();
    expect(await claimJob(store, { leaseMs })).toBeUndefined();
    await completeJob(store, first);
    await completeJob(store, await claim());
    expect(await claimJob(store, { leaseMs })).toBeUndefined();
    expect(await stateOf("lib")).toMatchObject({ state: "ready", failure: null, nextTryAt: null });
  });

  test("a project with many fetches does not delay the others", async () => {
    await add("many", "m1", "m2", "m3", "m4");
    await add("few", "f1");
    const claimed = [await claim(), await claim(), await claim()];
    expect(claimed.map(({ resource }) => resource)).toEqual(["m1", "f1", "m2"]);
    expect(await claimJob(store, { leaseMs })).toBeUndefined();
    for (const job of claimed) await completeJob(store, job);
    expect(await claim()).toMatchObject({ resource: "m3" });
  });

  test("a failed fetch is tried again later and later, then only on request", async () => {
    const { fetches, stateOf } = await add("a", "lib");
    await failJob(store, await claim(), "the host does not answer");
    const failed = await stateOf("lib");
    expect(failed).toEqual({
      state: "failed",
      needsToken: null,
      progress: null,
      since: expect.any(String),
      failure: "the host does not answer",
      nextTryAt: expect.any(String),
    });
    expect(await claimJob(store, { leaseMs })).toBeUndefined();
    const delays: number[] = [];
    for (let attempt = 2; attempt < 8; attempt += 1) {
      await makeDue();
      await failJob(store, await claim(), "again");
      const { rows } = await store.query("select extract(epoch from run_at - now())::float8 as delay from job");
      delays.push(Number(rows[0]?.["delay"]));
    }
    expect(delays.every((delay, index) => delay > 0.55 * 30 * 2 ** (index + 1))).toBe(true);
    await makeDue();
    await failJob(store, await claim(), "last");
    expect(await stateOf("lib")).toEqual({
      state: "failed",
      since: failed?.since,
      failure: "last",
      nextTryAt: null,
      needsToken: null,
      progress: null,
    });
    await makeDue();
    expect(await claimJob(store, { leaseMs })).toBeUndefined();
    await fetches.request(["lib"]);
    await completeJob(store, await claim());
    expect(await stateOf("lib")).toMatchObject({ state: "ready", failure: null });
  });

  test("a request does not wait for the next try", async () => {
    const { fetches } = await add("a", "lib");
    await failJob(store, await claim(), "down");
    await fetches.request(["lib"]);
    expect(await claim()).toMatchObject({ resource: "lib" });
  });

  test("a job whose lease expired is taken over, and its first process cannot end it any more", async () => {
    const { stateOf } = await add("a", "lib");
    const killed = await claimJob(store, { leaseMs: 0 });
    if (killed === undefined) throw new Error("no job is due");
    const second = await claim();
    expect(second).toMatchObject({ resource: "lib" });
    expect(await renewLease(store, killed, { leaseMs })).toBe(false);
    await completeJob(store, killed);
    expect(await stateOf("lib")).toMatchObject({ state: "running" });
    expect(await renewLease(store, second, { leaseMs })).toBe(true);
    await completeJob(store, second);
    expect(await stateOf("lib")).toMatchObject({ state: "ready" });
  });

  test("the progress of a fetch ends with it, also if its process was killed", async () => {
    const { stateOf } = await add("a", "lib");
    const killed = await claim();
    const step = { phase: "fetch", fraction: 0.42, message: "receiving files" } as const;
    await writeProgress(store, killed, step);
    expect(await stateOf("lib")).toMatchObject({ state: "running", progress: step });
    await store.exec("update job set lease_until = now()");
    expect(await stateOf("lib")).toMatchObject({ state: "waiting", progress: null });
    const next = await claim();
    await writeProgress(store, killed, step);
    expect(await stateOf("lib")).toMatchObject({ state: "running", progress: null });
    await writeProgress(store, next, { phase: "resolve", message: "looking for the newest revision" });
    await failJob(store, next, "the host does not answer");
    expect(await stateOf("lib")).toMatchObject({ state: "failed", progress: null });
  });

  test("a job that ends its process again and again is not run at once any more", async () => {
    await add("a", "lib");
    await claimJob(store, { leaseMs: 0 });
    expect(await claimJob(store, { leaseMs: 0 })).toBeDefined();
    expect(await claimJob(store, { leaseMs })).toBeUndefined();
  });

  test("a question is told to come back until a fetch whose processes are killed is given up", async () => {
    const { id } = await add("a", "lib");
    const wanted = { project: id, resource: "lib", youngMs: 0 };
    const question = () => requireFetchable(store, wanted, { signal: new AbortController().signal });
    const kill = async () => {
      await makeDue();
      await claimJob(store, { leaseMs: 0 });
      // Looking for work ends what has expired.
      await claimJob(store, { leaseMs: 0 });
    };
    await kill();
    await expect(question()).rejects.toMatchObject({ tag: "NotReadyYet" });
    for (let attempt = 0; attempt < 8; attempt++) await kill();
    await expect(question()).rejects.toMatchObject({
      tag: "RepositoryFailed",
      message: "the process that fetched it ended",
    });
  });

  test("a released job is due at once, without counting as a failure", async () => {
    const { stateOf } = await add("a", "lib");
    await releaseJob(store, await claim());
    expect(await stateOf("lib")).toMatchObject({ state: "waiting" });
    expect(await claim()).toMatchObject({ resource: "lib" });
  });

  test("what was asked about within a week is fetched daily", async () => {
    const { fetches, stateOf } = await add("a", "asked", "old", "never", "today");
    await store.exec(`update job set requested_at = null, finished_at = now(), started_at = now() - interval '25 hours';
      update job set started_at = now() where resource = 'today';
      update resource set asked_at = now() - interval '8 days' where name = 'old'`);
    await fetches.statesForQuestion(["asked", "today"]);
    await requestDailyFetches(store);
    expect(await stateOf("asked")).toMatchObject({ state: "waiting" });
    for (const name of ["old", "never", "today"]) expect(await stateOf(name)).toMatchObject({ state: "ready" });
  });

  test("daily fetches are spread over the day", async () => {
    const names = Array.from({ length: 48 }, (_, index) => `r${index}`);
    const { fetches } = await add("a", ...names);
    // Half a day ago: the time of day of about half of them came since.
    await store.exec("update job set requested_at = null, started_at = now() - interval '12 hours'");
    await fetches.statesForQuestion([]);
    await requestDailyFetches(store);
    const waiting = (await store.query("select from job where requested_at is not null")).count;
    expect(waiting).toBeGreaterThan(8);
    expect(waiting).toBeLessThan(40);
  });

  test("a project sees the fetches of its own resources only, and removing a resource removes its fetch", async () => {
    const [a, b] = [await add("a", "lib"), await add("b", "lib", "other")];
    expect([...(await b.fetches.states()).keys()].toSorted()).toEqual(["lib", "other"]);
    await a.fetches.request(["other"]);
    expect([...(await a.fetches.states()).keys()]).toEqual(["lib"]);
    await store.query("delete from resource where project = $1", [a.id]);
    expect(await claim()).toMatchObject({ project: b.id });
  });
});
