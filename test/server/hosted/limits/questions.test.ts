import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  daysOfMonth,
  firstUsedMonth,
  readClientUsage,
  readDailyUsage,
  readResourceUsage,
} from "../../../../server/hosted/limits/daily-usage.ts";
import { mostClients, ownClients } from "../../../../server/hosted/limits/clients.ts";
import {
  readLimitSets,
  readLimits,
  readUsage,
  setLimits,
  setOwnLimits,
} from "../../../../server/hosted/limits/project-limits.ts";
import { reserveQuestion, settleQuestion } from "../../../../server/hosted/limits/questions.ts";
import type { Store } from "../../../../server/hosted/store/store.ts";
import { createProject } from "../../../../server/hosted/tenants/projects.ts";
import type { ProjectLimits } from "../../../../server/protocol/hosted.ts";
import { openTestStore, testEngines } from "../../../support/stores.ts";

const actor = "key:00000000-0000-4000-8000-000000000000";
const noUse = { tokens: 0, costUsd: 0 };
const noOutcome = { withoutEvidence: 0, slow: 0, failed: 0 };

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
    const none = {
      running: null,
      questions: null,
      tokens: null,
      costUsd: null,
      resources: null,
      fetches: null,
      diskGb: null,
    };
    expect(await readLimits(store, project)).toEqual({ ...none, costUsd: 1.5, tokens: 7 });
  });

  test("of the operator's limits and the owners', the stricter applies", async () => {
    const project = await limited({ running: 2, costUsd: 1.5 });
    const own = { running: 5, questions: 9, tokens: null, costUsd: 1, resources: null, fetches: 4, diskGb: 0.5 };
    await setOwnLimits(store, project, own);
    expect(await readLimits(store, project)).toEqual({ ...own, running: 2 });
    await setLimits(store, project, { running: null });
    expect(await readLimits(store, project)).toEqual(own);
    expect(await readLimitSets(store, project)).toMatchObject({ operator: { running: null, costUsd: 1.5 }, own });
  });

  test("what each client used is kept by day, also of a killed process; beyond the limit they are counted together", async () => {
    const project = await limited({ tokens: 1_000_000 });
    const ask = async (client: string | undefined) => {
      const { id } = await reserveQuestion(store, { project, actor, client }, { maxTokens: 300 });
      await settleQuestion(store, { id, use: { tokens: 10, costUsd: 0.25 }, outcome: { isSlow: true } });
    };
    const used = async () => {
      const { month } = await readUsage(store, project);
      return store.asProject(project, (queries) => readClientUsage(queries, project, daysOfMonth(month)));
    };
    await ask("codex 1.0");
    await ask(undefined);
    await reserveQuestion(store, { project, actor, client: "codex 1.0" }, { maxTokens: 300 });
    await store.query("update running_question set lease_until = now() where project = $1", [project]);
    await ask(ownClients.page);
    const one = { questions: 1, tokens: 10, costUsd: 0.25, ...noOutcome, slow: 1 };
    expect(await used()).toEqual([
      { client: "codex 1.0", ...one, questions: 2, tokens: 310 },
      { client: ":page", ...one },
      { client: ":unknown", ...one },
    ]);
    for (let index = 1; index < mostClients + 2; index++) await ask(`program ${index}`);
    for (const client of ["codex 1.0", ownClients.page]) await ask(client);
    const all = await used();
    expect(all.filter(({ client }) => !client.startsWith(":"))).toHaveLength(mostClients);
    expect(all.slice(0, 3)).toMatchObject([
      { client: "codex 1.0", questions: 3 },
      { client: ":other", questions: 2 },
      { client: ":page", questions: 2 },
    ]);
    // The next month has names of its own.
    await store.query("update daily_client_usage set day = day - interval '40 days' where project = $1", [project]);
    await ask("program 51");
    expect((await used()).map(({ client }) => client)).toEqual(["program 51"]);
  });

  test("what each key and account used is kept by day, also of a killed process", async () => {
    const project = await limited({ tokens: 1000 });
    const account = "account:00000000-0000-4000-8000-000000000001";
    for (const tokens of [30, 12]) {
      const { id } = await reserveQuestion(store, { project, actor }, {});
      await settleQuestion(store, { id, use: { tokens, costUsd: 0.25 } });
    }
    await reserveQuestion(store, { project, actor: account }, { maxTokens: 300 });
    await store.query("update running_question set lease_until = now() where project = $1", [project]);
    await reserveQuestion(store, { project, actor: account }, { maxTokens: 300 });
    const { month } = await readUsage(store, project);
    const day = expect.stringMatching(new RegExp(`^${month}-\\d\\d$`));
    const used = await store.asProject(project, (queries) => readDailyUsage(queries, project, daysOfMonth(month)));
    expect(used).toEqual([
      { day, actor: account, questions: 2, tokens: 300, costUsd: 0, ...noOutcome },
      { day, actor, questions: 2, tokens: 42, costUsd: 0.5, ...noOutcome },
    ]);
    await store.query("update daily_usage set day = day - interval '40 days' where project = $1 and actor = $2", [
      project,
      actor,
    ]);
    expect(await readDailyUsage(store, project, daysOfMonth(month))).toHaveLength(1);
    const first = (await firstUsedMonth(store, project)) ?? "";
    expect(first < month).toBe(true);
    expect(await readDailyUsage(store, project, daysOfMonth(first))).toMatchObject([{ actor, tokens: 42 }]);
  });

  test("how questions ended is counted by key and by resource of the project", async () => {
    const project = await limited({});
    for (const name of ["api", "web"]) {
      await store.query("insert into resource (project, name, spec) values ($1, $2, '{}')", [project, name]);
    }
    const outcomes = [
      { isWithoutEvidence: true, resources: ["api", "web", "api"] },
      { isFailed: true, isSlow: true, resources: ["api", "not-there"] },
      { resources: [] },
    ];
    for (const outcome of outcomes) {
      const { id } = await reserveQuestion(store, { project, actor }, {});
      await settleQuestion(store, { id, use: noUse, outcome });
      // A second settling of the same question counts nothing.
      await settleQuestion(store, { id, use: noUse, outcome });
    }
    const { month } = await readUsage(store, project);
    expect(await readDailyUsage(store, project, daysOfMonth(month))).toMatchObject([
      { questions: 3, withoutEvidence: 1, slow: 1, failed: 1 },
    ]);
    const expected = [
      { resource: "api", questions: 2, withoutEvidence: 1, slow: 1, failed: 1 },
      { resource: "web", questions: 1, withoutEvidence: 1, slow: 0, failed: 0 },
    ];
    await store.query("delete from resource where project = $1", [project]);
    expect(
      await store.asProject(project, (queries) => readResourceUsage(queries, project, daysOfMonth(month))),
    ).toEqual(expected);
    const other = await limited({});
    expect(await store.asProject(other, (queries) => readResourceUsage(queries, project, daysOfMonth(month)))).toEqual(
      [],
    );
  });

  test("of many questions at once, as many run as the limit allows", async () => {
    const project = await limited({ running: 3 });
    const results = await Promise.allSettled(
      Array.from({ length: 12 }, () => reserveQuestion(store, { project, actor }, {})),
    );
    const started = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    expect(started).toHaveLength(3);
    const { reason } = results.find((result) => result.status === "rejected") ?? { reason: undefined };
    expect(reason).toMatchObject({
      tag: "LimitReached",
      message: "this project's limit of 3 running questions is reached; 0 are left",
    });
    for (const { id } of started) await settleQuestion(store, { id, use: noUse });
    await reserveQuestion(store, { project, actor }, {});
    expect(await readUsage(store, project)).toMatchObject({ running: 1, questions: 4 });
  });

  test("questions are counted by the month", async () => {
    const project = await limited({ questions: 1 });
    const { id } = await reserveQuestion(store, { project, actor }, {});
    await settleQuestion(store, { id, use: noUse });
    await expect(reserveQuestion(store, { project, actor }, {})).rejects.toMatchObject({
      tag: "LimitReached",
      message: "this project's limit of 1 questions a month is reached; 0 are left",
      hint: expect.stringMatching(/^the next month begins on \d{4}-\d\d-01 \(UTC\)/),
    });
    await store.query("update usage set month = month - interval '1 month' where project = $1", [project]);
    await reserveQuestion(store, { project, actor }, {});
  });

  test("what running questions may use is reserved, and what they do not use is free again", async () => {
    const project = await limited({ tokens: 1000, costUsd: 2 });
    const most = { maxTokens: 600, maxCostUsd: 1.25 };
    const first = await reserveQuestion(store, { project, actor }, most);
    const second = await reserveQuestion(store, { project, actor }, most);
    expect([first.bounds, second.bounds]).toEqual([
      { maxTokens: 600, maxCostUsd: 1.25 },
      { maxTokens: 400, maxCostUsd: 0.75 },
    ]);
    await expect(reserveQuestion(store, { project, actor }, most)).rejects.toMatchObject({
      message: "this project's limit of 1000 tokens a month is reached; 0 are left",
    });
    await settleQuestion(store, { id: first.id, use: { tokens: 100, costUsd: 0.5 } });
    expect((await reserveQuestion(store, { project, actor }, most)).bounds).toEqual({
      maxTokens: 500,
      maxCostUsd: 0.75,
    });
    expect(await readUsage(store, project)).toMatchObject({ running: 2, questions: 3, tokens: 100, costUsd: 0.5 });
  });

  test("money that is used up is refused with its limit", async () => {
    const project = await limited({ costUsd: 0.5 });
    const { id } = await reserveQuestion(store, { project, actor }, {});
    await settleQuestion(store, { id, use: { tokens: 0, costUsd: 0.6 } });
    await expect(reserveQuestion(store, { project, actor }, {})).rejects.toMatchObject({
      message: "this project's limit of US$ 0.5 a month is reached; 0 are left",
    });
  });

  test("a question of a killed process frees its place, and counts with what it had reserved", async () => {
    const project = await limited({ running: 1, tokens: 1000 });
    const killed = await reserveQuestion(store, { project, actor }, { maxTokens: 300 });
    await store.query("update running_question set lease_until = now() where project = $1", [project]);
    await reserveQuestion(store, { project, actor }, { maxTokens: 100 });
    await settleQuestion(store, { id: killed.id, use: { tokens: 1, costUsd: 0 } });
    expect(await readUsage(store, project)).toMatchObject({ running: 1, questions: 2, tokens: 300 });
  });

  test("a project without limits reserves nothing, and its use is counted", async () => {
    const project = await limited({});
    const { id, bounds } = await reserveQuestion(store, { project, actor }, { maxTokens: 5 });
    expect(bounds).toEqual({});
    await settleQuestion(store, { id, use: { tokens: 42, costUsd: 0.000_001 } });
    expect(await readUsage(store, project)).toMatchObject({ running: 0, questions: 1, tokens: 42, costUsd: 0.000_001 });
  });
});
