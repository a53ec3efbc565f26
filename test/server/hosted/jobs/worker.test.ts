import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CitewellError } from "../../../../server/errors.ts";
import { fetchesOf } from "../../../../server/hosted/jobs/fetches.ts";
import { endedChannel } from "../../../../server/hosted/jobs/queue.ts";
import { startWorker, type WorkerOptions } from "../../../../server/hosted/jobs/worker.ts";
import type { Store } from "../../../../server/hosted/store/store.ts";
import { createProject } from "../../../../server/hosted/tenants/projects.ts";
import { createChannel } from "../../../../server/lib/channel.ts";
import { silentLog } from "../../../../server/lib/log.ts";
import { openTestStore, testEngines } from "../../../support/stores.ts";

describe.each(testEngines())("a worker on $name", (engine) => {
  let store: Store;
  beforeAll(async () => {
    store = await openTestStore(engine);
  });
  afterAll(() => store.close());
  // A fetch that failed is due again half a minute later, which may be in another test.
  beforeEach(() => store.exec("truncate project cascade"));

  async function addProject(...resources: string[]) {
    const { id } = await createProject(store, `p-${crypto.randomUUID().slice(0, 8)}`);
    for (const resource of resources) {
      await store.query(`insert into resource (project, name, spec) values ($1, $2, '{"type":"npm"}')`, [id, resource]);
    }
    return fetchesOf(store, id);
  }
  const start = (fetch: WorkerOptions["fetch"], options: Partial<WorkerOptions> = {}) =>
    startWorker({ store, log: silentLog, fetch, ...options });

  test("deletes what has expired, also where nothing is requested", async () => {
    const called = createChannel<void>();
    await using _worker = await start(async () => {}, { deleteExpired: async () => called.push() });
    expect(await called[Symbol.asyncIterator]().next()).toMatchObject({ done: false });
  });

  test("runs what is requested, and reports the end", async () => {
    const ended = createChannel<string>();
    await using _listening = await store.listen(endedChannel, (job) => ended.push(job));
    await using _worker = await start(async ({ resource }) => {
      if (resource === "gone") throw new CitewellError("RepositoryNotFound", "there is no such repository");
    });
    const fetches = await addProject("lib", "gone");
    await fetches.request();
    const ends = ended[Symbol.asyncIterator]();
    const names = [await ends.next(), await ends.next()].map(({ value }) => String(value).split("/")[1]);
    expect(new Set(names)).toEqual(new Set(["gone", "lib"]));
    expect(Object.fromEntries(await fetches.states())).toMatchObject({
      lib: { state: "ready" },
      gone: { state: "failed", failure: "there is no such repository" },
    });
  });

  test.each([
    "ResourceTooLarge",
    "PackageUnreadable",
    "PackageNotFound",
    "SearchPathNotFound",
    "VersionNotFound",
  ] as const)("does not retry by itself what fails with %s", async (tag) => {
    const ended = createChannel<string>();
    await using _listening = await store.listen(endedChannel, (job) => ended.push(job));
    await using _worker = await start(async () => {
      throw new CitewellError(tag, "it cannot heal");
    });
    const fetches = await addProject("hopeless");
    await fetches.request();
    await ended[Symbol.asyncIterator]().next();
    expect((await fetches.states()).get("hopeless")).toMatchObject({ state: "failed", nextTryAt: null });
  });

  test.each([
    [new CitewellError("StorageFailed", "cannot write to /srv/data: no space is left"), "cannot write to its disk"],
    [new Error("EACCES: permission denied, open '/srv/data/x'"), "something unexpected went wrong"],
  ])("stores no path of the service in the reason of a failure: %s", async (failure, said) => {
    const ended = createChannel<string>();
    await using _listening = await store.listen(endedChannel, (job) => ended.push(job));
    await using _worker = await start(async () => {
      throw failure;
    });
    const fetches = await addProject("unwritten");
    await fetches.request();
    await ended[Symbol.asyncIterator]().next();
    const state = (await fetches.states()).get("unwritten");
    expect(state?.failure).toContain(said);
    expect(state?.failure).not.toContain("/srv");
  });

  test("a stopped worker cancels its jobs, and another one runs them", async () => {
    const started = createChannel<AbortSignal>();
    const fetches = await addProject("lib");
    const first = await start((_job, { signal }) => {
      started.push(signal);
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    });
    await fetches.request();
    await started[Symbol.asyncIterator]().next();
    await first[Symbol.asyncDispose]();
    expect(Object.fromEntries(await fetches.states())).toMatchObject({ lib: { state: "waiting", failure: null } });
    const done = createChannel<string>();
    await using _second = await start(async ({ resource }) => done.push(resource));
    expect(await done[Symbol.asyncIterator]().next()).toMatchObject({ value: "lib" });
  });

  test("a job that was taken over is cancelled", async () => {
    const started = createChannel<AbortSignal>();
    const cancelled = createChannel<unknown>();
    const fetches = await addProject("lib");
    await using _worker = await start(
      (_job, { signal }) => {
        started.push(signal);
        return new Promise((_resolve, reject) =>
          signal.addEventListener("abort", () => {
            cancelled.push(signal.reason);
            reject(signal.reason);
          }),
        );
      },
      { leaseMs: 2000 },
    );
    await fetches.request();
    await started[Symbol.asyncIterator]().next();
    await store.exec("update job set lease = gen_random_uuid(), lease_until = now() + interval '1 hour'");
    expect(await cancelled[Symbol.asyncIterator]().next()).toMatchObject({
      value: { message: "another process fetches the resource" },
    });
    expect(Object.fromEntries(await fetches.states())).toMatchObject({ lib: { state: "running" } });
    await store.exec("delete from job");
  });

  test("a killed process holds a project's fetches for 20 seconds at most", async () => {
    const started = createChannel<void>();
    const fetches = await addProject("lib");
    await using _worker = await start((_job, { signal }) => {
      started.push();
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    });
    await fetches.request();
    await started[Symbol.asyncIterator]().next();
    const { rows } = await store.query("select lease_until - now() <= interval '20 s' as is_short from job");
    expect(rows).toEqual([{ is_short: true }]);
  });

  test("two workers run each of many jobs once", async () => {
    const runs = createChannel<string>();
    const run: WorkerOptions["fetch"] = async ({ resource }) => runs.push(resource);
    const projects = [];
    for (let index = 0; index < 5; index += 1) {
      projects.push(await addProject(...[1, 2, 3, 4].map((number) => `r${index}-${number}`)));
    }
    await Promise.all(projects.map((fetches) => fetches.request()));
    const workers = [await start(run), await start(run)];
    const names: string[] = [];
    const iterator = runs[Symbol.asyncIterator]();
    while (names.length < 20) names.push(String((await iterator.next()).value));
    for (const worker of workers) await worker[Symbol.asyncDispose]();
    runs.close();
    for await (const more of { [Symbol.asyncIterator]: () => iterator }) names.push(more);
    expect(new Set(names).size).toBe(20);
    expect(names).toHaveLength(20);
  });
});
