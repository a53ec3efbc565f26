import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { countCall, deleteIdleRates } from "../../../../server/hosted/limits/rate.ts";
import type { Store } from "../../../../server/hosted/store/store.ts";
import { openTestStore, testEngines } from "../../../support/stores.ts";

describe.each(testEngines())("the rate limit on $name", (engine) => {
  let store: Store;
  beforeAll(async () => {
    store = await openTestStore(engine);
  });
  afterAll(() => store.close());

  test("of many calls at once, exactly the allowed number passes", async () => {
    // One call a minute is given back: slow machines do not change the result.
    const limit = { perMinute: 1 };
    const decisions = await Promise.all([1, 2, 3, 4, 5].map(() => countCall(store, "one", limit)));
    expect(decisions.filter(({ isAllowed }) => isAllowed)).toHaveLength(1);
  });

  test("it reports what is left, and when the next call is allowed", async () => {
    const limit = { perMinute: 2 };
    expect(await countCall(store, "two", limit)).toMatchObject({ isAllowed: true, remaining: 1, retryAfterSeconds: 0 });
    await store.query("update rate set tat = extract(epoch from clock_timestamp())::float8 + 60 where key = 'two'");
    const refused = await countCall(store, "two", limit);
    expect(refused).toMatchObject({ isAllowed: false, remaining: 0 });
    expect(refused.retryAfterSeconds).toBeGreaterThan(0);
    expect(refused.retryAfterSeconds).toBeLessThanOrEqual(30);
  });

  test("after its time a call is allowed again", async () => {
    const limit = { perMinute: 1 };
    await countCall(store, "later", limit);
    await store.query("update rate set tat = tat - 60 where key = 'later'");
    expect((await countCall(store, "later", limit)).isAllowed).toBe(true);
  });

  test("what limits nothing any more is deleted", async () => {
    const limit = { perMinute: 1 };
    await countCall(store, "idle", limit);
    await countCall(store, "busy", limit);
    await store.query("update rate set tat = tat - 60 where key = 'idle'");
    await deleteIdleRates(store);
    const { rows } = await store.query("select key from rate where key in ('idle', 'busy')");
    expect(rows).toEqual([{ key: "busy" }]);
  });

  test("keys do not share a limit", async () => {
    const limit = { perMinute: 1 };
    await countCall(store, "mine", limit);
    expect((await countCall(store, "yours", limit)).isAllowed).toBe(true);
  });
});
