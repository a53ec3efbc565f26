import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fetchesOf, requestWithin } from "../../../../server/hosted/jobs/fetches.ts";
import { claimJob, completeJob, failJob, requestFetch } from "../../../../server/hosted/jobs/queue.ts";
import { readUsage, setLimits } from "../../../../server/hosted/limits/project-limits.ts";
import type { Store } from "../../../../server/hosted/store/store.ts";
import { createProject } from "../../../../server/hosted/tenants/projects.ts";
import { openTestStore, postgresEngines, testEngines } from "../../../support/stores.ts";

describe.each(testEngines())("fetches an hour of a project on $name", (engine) => {
  let store: Store;
  beforeAll(async () => {
    store = await openTestStore(engine);
  });
  afterAll(() => store.close());

  /** A project with a limit and resources. Its hour is a later one, so that none ends during a test. */
  async function limited(limit: number | null, ...resources: string[]) {
    await store.exec("truncate project cascade");
    const { id } = await createProject(store, "team");
    await setLimits(store, id, { fetches: limit });
    await store.query("insert into fetch_usage values ($1, date_trunc('hour', now(), 'UTC') + interval '2 hours', 0)", [
      id,
    ]);
    for (const resource of resources) {
      await store.query(`insert into resource (project, name, spec) values ($1, $2, '{"type":"npm"}')`, [id, resource]);
    }
    const fetches = fetchesOf(store, id);
    return {
      ...fetches,
      id,
      used: async () => (await readUsage(store, id)).fetches,
      waiting: async () =>
        [...(await fetches.states())].flatMap(([name, { state }]) => (state === "ready" ? [] : name)),
    };
  }

  async function claim() {
    const job = await claimJob(store, { leaseMs: 60_000 });
    if (job === undefined) throw new Error("no job is due");
    return job;
  }

  const names = ["a", "b", "c", "d", "e", "f"];

  test("of many requests at once, as many are accepted as the limit allows", async () => {
    const { request, used, waiting } = await limited(4, ...names);
    const results = await Promise.allSettled(names.map((name) => request([name])));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(4);
    const { reason } = results.find((result) => result.status === "rejected") ?? { reason: undefined };
    expect(reason).toMatchObject({
      tag: "LimitReached",
      message: "this project's limit of 4 fetches an hour is reached; 0 are left",
      hint: expect.stringMatching(/^the next hour begins at \d\d:00 \(UTC\)$/),
    });
    expect([await used(), (await waiting()).length]).toEqual([4, 4]);
  });

  test("of requests for one resource at once, one counts", async () => {
    const { request, used } = await limited(1, "a");
    await Promise.all([1, 2, 3, 4].map(() => request(["a"])));
    expect(await used()).toBe(1);
  });

  test("a request of several is accepted as a whole or not at all", async () => {
    const { request, used, waiting } = await limited(4, ...names.slice(0, 5));
    await expect(request()).rejects.toMatchObject({
      tag: "OperationNotAllowed",
      message: "this project's limit of 4 fetches an hour does not allow 5 more; 4 are left",
      hint: "sync fewer resources at once",
    });
    await request(["a", "b"]);
    await expect(request(["c", "d", "e"])).rejects.toMatchObject({
      tag: "LimitReached",
      message: "this project's limit of 4 fetches an hour does not allow 3 more; 2 are left",
    });
    expect([await used(), await waiting()]).toEqual([2, ["a", "b"]]);
  });

  test("a request that joins a waiting fetch does not count; one that repeats a fetch or a failed one does", async () => {
    const { request, used } = await limited(null, "a");
    await request(["a"]);
    await request();
    expect(await used()).toBe(1);
    const first = await claim();
    await request(["a"]);
    await request(["a"]);
    expect(await used()).toBe(2);
    await completeJob(store, first);
    await failJob(store, await claim(), "the host does not answer");
    await request(["a"]);
    expect(await used()).toBe(3);
  });

  test("a new hour begins with none; the fetches of the service itself do not count", async () => {
    const { id, request, used } = await limited(1, "a", "b");
    await request(["a"]);
    await expect(request(["b"])).rejects.toMatchObject({ tag: "LimitReached" });
    await store.asProject(id, (queries) => requestFetch(queries, id, { resources: ["b"] }));
    await store.query("update fetch_usage set hour = hour - interval '1 day' where project = $1", [id]);
    expect(await used()).toBe(0);
    await completeJob(store, await claim());
    await completeJob(store, await claim());
    await request(["b"]);
    expect((await store.query("select fetches from fetch_usage where project = $1", [id])).rows).toEqual([
      { fetches: 1 },
    ]);
  });
});

describe.each(postgresEngines())("fetches requested at once on $name", (engine) => {
  test("a request joins one whose transaction began after its own", async () => {
    await using store = await openTestStore(engine);
    const { id } = await createProject(store, "team");
    await store.query(`insert into resource (project, name, spec) values ($1, 'a', '{"type":"npm"}')`, [id]);
    const limits = { fetches: 1, diskGb: null };
    await store.asProject(id, async (first) => {
      await first.query("select now()");
      await fetchesOf(store, id).request(["a"]);
      await requestWithin(first, id, { resources: ["a"], limits });
    });
    expect((await readUsage(store, id)).fetches).toBe(1);
  });
});
