import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { readLimits, readUsage, setLimits } from "../../../../server/hosted/limits/project-limits.ts";
import { reserveQuestion, settleQuestion } from "../../../../server/hosted/limits/questions.ts";
import type { Store } from "../../../../server/hosted/store/store.ts";
import { createProject } from "../../../../server/hosted/tenants/projects.ts";
import type { ProjectLimits } from "../../../../server/protocol/hosted.ts";
import { openTestStore, testEngines } from "../../../support/stores.ts";

// Opening an embedded database takes seconds on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const noUse = { tokens: 0, costUsd: 0 };

describe.each(testEngines())("limits of a project on $name", (engine) => {
  let store: Store;
  beforeAll(async () => {
    store = await openTestStore(engine);
  });
  afterAll(() => store.close());

  async function limited(limits: Partial<ProjectLimits>): Promise<string> {
    const { id } = await createProject(store, `p-${crypto.randomUUID().slice(0, 8)}`);
    await setLimits(store, id, limits);
    return id;
  }

  test("a limit that is set stays, and null removes it", async () => {
    const project = await limited({ running: 2, costUsd: 1.5 });
    await setLimits(store, project, { running: null, tokens: 7 });
    const none = { running: null, questions: null, tokens: null, costUsd: null, resources: null };
    expect(await readLimits(store, project)).toEqual({ ...none, costUsd: 1.5, tokens: 7 });
  });

  test("of many questions at once, as many run as the limit allows", async () => {
    const project = await limited({ running: 3 });
    const results = await Promise.allSettled(Array.from({ length: 12 }, () => reserveQuestion(store, project, {})));
    const started = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    expect(started).toHaveLength(3);
    const { reason } = results.find((result) => result.status === "rejected") ?? { reason: undefined };
    expect(reason).toMatchObject({
      tag: "LimitReached",
      message: "this project's limit of 3 running questions is reached; 0 are left",
    });
    for (const { id } of started) await settleQuestion(store, project, { id, use: noUse });
    await reserveQuestion(store, project, {});
    expect(await readUsage(store, project)).toMatchObject({ running: 1, questions: 4 });
  });

  test("questions are counted by the month", async () => {
    const project = await limited({ questions: 1 });
    const { id } = await reserveQuestion(store, project, {});
    await settleQuestion(store, project, { id, use: noUse });
    await expect(reserveQuestion(store, project, {})).rejects.toMatchObject({
      tag: "LimitReached",
      message: "this project's limit of 1 questions a month is reached; 0 are left",
      hint: expect.stringMatching(/^the next month begins on \d{4}-\d\d-01 \(UTC\)/),
    });
    await store.query("update usage set month = month - interval '1 month' where project = $1", [project]);
    await reserveQuestion(store, project, {});
  });

  test("what running questions may use is reserved, and what they do not use is free again", async () => {
    const project = await limited({ tokens: 1000, costUsd: 2 });
    const most = { maxTokens: 600, maxCostUsd: 1.25 };
    const first = await reserveQuestion(store, project, most);
    const second = await reserveQuestion(store, project, most);
    expect([first.bounds, second.bounds]).toEqual([
      { maxTokens: 600, maxCostUsd: 1.25 },
      { maxTokens: 400, maxCostUsd: 0.75 },
    ]);
    await expect(reserveQuestion(store, project, most)).rejects.toMatchObject({
      message: "this project's limit of 1000 tokens a month is reached; 0 are left",
    });
    await settleQuestion(store, project, { id: first.id, use: { tokens: 100, costUsd: 0.5 } });
    expect((await reserveQuestion(store, project, most)).bounds).toEqual({ maxTokens: 500, maxCostUsd: 0.75 });
    expect(await readUsage(store, project)).toMatchObject({ running: 2, questions: 3, tokens: 100, costUsd: 0.5 });
  });

  test("money that is used up is refused with its limit", async () => {
    const project = await limited({ costUsd: 0.5 });
    const { id } = await reserveQuestion(store, project, {});
    await settleQuestion(store, project, { id, use: { tokens: 0, costUsd: 0.6 } });
    await expect(reserveQuestion(store, project, {})).rejects.toMatchObject({
      message: "this project's limit of US$ 0.5 a month is reached; 0 are left",
    });
  });

  test("a question of a killed process frees its place, and counts with what it had reserved", async () => {
    const project = await limited({ running: 1, tokens: 1000 });
    const killed = await reserveQuestion(store, project, { maxTokens: 300 });
    await store.query("update running_question set lease_until = now() where project = $1", [project]);
    await reserveQuestion(store, project, { maxTokens: 100 });
    await settleQuestion(store, project, { id: killed.id, use: { tokens: 1, costUsd: 0 } });
    expect(await readUsage(store, project)).toMatchObject({ running: 1, questions: 2, tokens: 300 });
  });

  test("a project without limits reserves nothing, and its use is counted", async () => {
    const project = await limited({});
    const { id, bounds } = await reserveQuestion(store, project, { maxTokens: 5 });
    expect(bounds).toEqual({});
    await settleQuestion(store, project, { id, use: { tokens: 42, costUsd: 0.000_001 } });
    expect(await readUsage(store, project)).toMatchObject({ running: 0, questions: 1, tokens: 42, costUsd: 0.000_001 });
  });
});
