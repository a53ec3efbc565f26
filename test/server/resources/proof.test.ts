import { describe, expect, test } from "vitest";
import { CitewellError } from "../../../server/errors.ts";
import { createOrigin, openSandbox, type Origin } from "../../support/store-sandbox.ts";

const dayMs = 24 * 3600 * 1000;
const away = new CitewellError("RepositoryFailed", "the host is away");
const gone = new CitewellError("RepositoryNotFound", "there is no repository");

/** A store whose readers may not all be allowed to: two days after a check the origin has to be public again. */
const openProving = () => openSandbox({ proofMs: 2 * dayMs });
type Sandbox = Awaited<ReturnType<typeof openProving>>;

const openStored = ({ store }: Sandbox, { source }: Origin, revision?: string) =>
  store.openStored(source.key, { revision, signal: new AbortController().signal });

async function fetched(sandbox: Sandbox, origin: Origin) {
  await (await sandbox.open(origin))[Symbol.asyncDispose]();
}

describe("a snapshot that is shared while its origin is public", () => {
  test("is read while the host is away, for as long as the proof lasts", async () => {
    await using sandbox = await openProving();
    const origin = createOrigin("one");
    await fetched(sandbox, origin);
    origin.fault = away;
    sandbox.advance(1.5 * dayMs);
    await using tree = await sandbox.open(origin);
    expect(tree).toMatchObject({ revision: "one", stale: expect.stringContaining("the host is away") });
    sandbox.advance(dayMs);
    await expect(sandbox.open(origin)).rejects.toBe(away);
    expect(await openStored(sandbox, origin)).toBeUndefined();
    expect(await openStored(sandbox, origin, "one")).toBeUndefined();
    expect(await sandbox.describe(origin)).toMatchObject({ state: "failed", revision: null });
    origin.fault = undefined;
    await using again = await sandbox.open(origin);
    expect(again.stale).toBeUndefined();
    expect(origin.calls.filter((call) => call.startsWith("fetch"))).toEqual(["fetch one"]);
  });

  test("is removed when the origin says that it has no such repository", async () => {
    await using sandbox = await openProving();
    const origin = createOrigin("one");
    await fetched(sandbox, origin);
    origin.fault = gone;
    await expect(sandbox.store.refresh(origin.source, {})).rejects.toBe(gone);
    expect(await sandbox.list("snapshots")).toEqual([]);
    expect(await sandbox.describe(origin)).toMatchObject({ state: "failed", failure: "there is no repository" });
    await expect(sandbox.open(origin)).rejects.toBe(gone);
  });

  test("is not given to the question that finds out that it is gone", async () => {
    await using sandbox = await openProving();
    const origin = createOrigin("one");
    await fetched(sandbox, origin);
    origin.fault = gone;
    sandbox.advance(1.5 * dayMs);
    await expect(sandbox.open(origin)).rejects.toBe(gone);
  });

  test("is not opened again while an earlier question still reads it, and then removed", async () => {
    await using sandbox = await openProving();
    const origin = createOrigin("one");
    const reading = await sandbox.open(origin);
    origin.fault = gone;
    await expect(sandbox.store.refresh(origin.source, {})).rejects.toBe(gone);
    expect(await sandbox.list("snapshots")).toHaveLength(1);
    expect(await openStored(sandbox, origin, "one")).toBeUndefined();
    await reading[Symbol.asyncDispose]();
    expect(await sandbox.list("snapshots")).toEqual([]);
  });

  test("of a pinned revision is proved at the origin, too", async () => {
    await using sandbox = await openProving();
    const origin = createOrigin("one");
    origin.source.prove = async () => {
      origin.calls.push("prove");
      if (origin.fetchFault !== undefined) throw origin.fetchFault;
    };
    await (await sandbox.open(origin, { refresh: "manual" }))[Symbol.asyncDispose]();
    origin.fetchFault = gone;
    sandbox.advance(3 * dayMs);
    await expect(sandbox.open(origin, { refresh: "manual" })).rejects.toBe(gone);
    expect(origin.calls).toEqual(["resolve", "prove", "fetch one", "resolve", "prove"]);
  });
});

test("a store of one reader keeps what it has", async () => {
  await using sandbox = await openSandbox();
  const origin = createOrigin("one");
  await fetched(sandbox, origin);
  origin.fault = gone;
  sandbox.advance(30 * dayMs);
  await using tree = await sandbox.open(origin);
  expect(tree).toMatchObject({ revision: "one", stale: expect.stringContaining("there is no repository") });
});
