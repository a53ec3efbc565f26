import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { silentLog } from "../../../../server/lib/log.ts";
import { createChannel } from "../../../../server/lib/channel.ts";
import { openStore, type Store } from "../../../../server/hosted/store/store.ts";
import { openTestStore, testEngines } from "../../../support/stores.ts";

describe.each(testEngines())("the store on $name", (engine) => {
  let store: Store;
  beforeAll(async () => {
    store = await openTestStore(engine);
  });
  afterAll(() => store.close());

  async function createProject(name: string): Promise<string> {
    const { rows } = await store.query("insert into project (name) values ($1) returning id", [name]);
    return String(rows[0]?.["id"]);
  }

  const addResource = (project: string) =>
    `insert into resource (project, name, spec) values ('${project}', 'zod', '{"type":"npm"}')`;

  test("values come back as the same JavaScript types on both engines", async () => {
    const { rows, count } = await store.query(
      `select $1::text[] as texts, $2::jsonb as json, 7::int8 as number, $3::timestamptz as time, $4::bytea is not null as bytes`,
      [["a", "b"], JSON.stringify({ a: [1] }), new Date(0), new Uint8Array([1])],
    );
    expect({ rows, count }).toEqual({
      rows: [{ texts: ["a", "b"], json: { a: [1] }, number: 7, time: new Date(0), bytes: true }],
      count: 1,
    });
  });

  test("a statement without rows reports how many it changed", async () => {
    await createProject("counted");
    expect(await store.query("update project set settings = '{}' where name = 'counted'")).toEqual({
      rows: [],
      count: 1,
    });
  });

  test("while many statements wait, other work goes on", async () => {
    let turns = 0;
    const other = setInterval(() => turns++, 1);
    const sql = "select count(*) from generate_series(1, 1000)";
    await Promise.all(Array.from({ length: 1000 }, () => store.query(sql)));
    clearInterval(other);
    expect(turns).toBeGreaterThan(1);
  });

  test("a failed transaction leaves nothing behind, and the store goes on", async () => {
    const failing = store.tx(async ({ query }) => {
      await query("insert into project (name) values ('lost')");
      await query("insert into project (name) values ('lost')");
    });
    await expect(failing).rejects.toMatchObject({ code: "23505" });
    expect((await store.query("select from project where name = 'lost'")).count).toBe(0);
  });

  test("a transaction whose first statement fails does nothing", async () => {
    const insert = "insert into project (name) values ('lost')";
    const failing = store.tx(({ query }) => query(insert), "select 1 / 0");
    await expect(failing).rejects.toMatchObject({ code: expect.stringMatching(/22012|25P02/) });
    await expect(store.tx(async () => {}, "select 1 / 0")).rejects.toMatchObject({ code: "22012" });
    expect((await store.query("select from project where name = 'lost'")).count).toBe(0);
  });

  test("a project is named by its identifier, and by nothing that could be a statement", async () => {
    const hostile = "', true); drop table rate; --";
    await expect(store.asProject(hostile, ({ exec }) => exec("select 1"))).rejects.toThrow("not an identifier");
    expect((await store.query("select from rate")).count).toBe(0);
  });

  test("a project sees only its own rows, and cannot write others", async () => {
    const [a, b] = [await createProject("a"), await createProject("b")];
    await store.asProject(a, ({ exec }) => exec(addResource(a)));
    const seen = (project: string) =>
      store.asProject(project, async ({ query }) => (await query("select from resource")).count);
    expect(await seen(a)).toBe(1);
    expect(await seen(b)).toBe(0);
    const writing = store.asProject(b, ({ exec }) => exec(addResource(a)));
    await expect(writing).rejects.toMatchObject({ code: "42501" });
    const changing = store.asProject(b, ({ query }) => query("update resource set name = 'mine'"));
    expect((await changing).count).toBe(0);
  });

  test("a statement that all may see everything with shows a project only its own rows", async () => {
    const [a, b] = [await createProject("same-a"), await createProject("same-b")];
    await store.asProject(a, ({ exec }) => exec(addResource(a)));
    await store.asProject(b, ({ exec }) => exec(addResource(b)));
    const sql = "select project from resource where project in ($1, $2) order by project";
    const everything = [a, b].toSorted().map((project) => ({ project }));
    const seen = (project: string) => store.asProject(project, async ({ query }) => (await query(sql, [a, b])).rows);
    for (let round = 0; round < 8; round++) {
      expect((await store.query(sql, [a, b])).rows).toEqual(everything);
      expect(await seen(a)).toEqual([{ project: a }]);
      expect(await seen(b)).toEqual([{ project: b }]);
    }
  });

  test("a statement shows the columns that its table has by now", async () => {
    await store.exec("create table changing (a int); insert into changing values (1)");
    const read = async () => (await store.query("select * from changing")).rows;
    expect(await read()).toEqual([{ a: 1 }]);
    await store.exec("alter table changing add b text default 'x'");
    expect(await read()).toEqual([{ a: 1, b: "x" }]);
    await store.tx(async ({ exec, query }) => {
      await exec("alter table changing drop a");
      expect((await query("select * from changing")).rows).toEqual([{ b: "x" }]);
    });
    await store.exec("drop table changing");
    await expect(read()).rejects.toMatchObject({ code: "42P01" });
  });

  test("a statement that failed can be sent again", async () => {
    const divide = (by: number) => store.query("select 1 / $1::int as result", [by]);
    await expect(divide(0)).rejects.toMatchObject({ code: "22012" });
    expect((await divide(1)).rows).toEqual([{ result: 1 }]);
    for (let round = 0; round < 2; round++)
      await expect(store.query("select nothing from nowhere")).rejects.toMatchObject({ code: "42P01" });
    const afterFailure = store.tx(async ({ query }) => {
      await query("select 1 / $1::int as result", [0]).catch(() => {});
      await query("select 2 as never_prepared");
    });
    await expect(afterFailure).rejects.toMatchObject({ code: "25P02" });
    expect((await store.query("select 2 as never_prepared")).rows).toEqual([{ never_prepared: 2 }]);
  });

  test.each(["project", "rate", "migration"])("a project cannot read the table %s", async (table) => {
    const project = await createProject(`reads-${table}`);
    const reading = store.asProject(project, ({ query }) => query(`select from ${table}`));
    await expect(reading).rejects.toMatchObject({ code: "42501" });
  });

  test("a project can add to the audit log, and neither change nor remove an entry", async () => {
    const project = await createProject("audited");
    const add = "insert into audit (project, actor, action, target) values ($1, 'a', 'b', 'c')";
    await store.asProject(project, ({ query }) => query(add, [project]));
    const statements = ["update audit set actor = 'x'", "delete from audit"];
    for (const sql of statements) {
      await expect(store.asProject(project, ({ exec }) => exec(sql))).rejects.toMatchObject({ code: "42501" });
    }
  });

  test("the project's role ends with its transaction", async () => {
    const project = await createProject("ends");
    await store.asProject(project, ({ exec }) => exec("select 1"));
    expect((await store.query("select current_setting('citewell.project', true) as project")).rows).not.toEqual([
      { project },
    ]);
    expect((await store.query("select from project where id = $1", [project])).count).toBe(1);
  });

  test("a listener gets notifications until it is disposed of", async () => {
    const first = createChannel<string>();
    const second = createChannel<string>();
    const listening = await store.listen("greetings", (payload) => first.push(payload));
    await store.query("select pg_notify('greetings', 'hello')");
    expect(await nextOf(first)).toBe("hello");
    await listening[Symbol.asyncDispose]();
    await using _second = await store.listen("greetings", (payload) => second.push(payload));
    await store.query("select pg_notify('greetings', 'again')");
    expect(await nextOf(second)).toBe("again");
    first.close();
    expect(await nextOf(first)).toBeUndefined();
  });

  test("what was stored is there after closing and opening again", async () => {
    const location = await engine.createDatabase();
    const before = await openStore(location, { log: silentLog });
    await before.query("insert into project (name) values ('kept')");
    await before.close();
    await using after = await openStore(location, { log: silentLog });
    expect((await after.query("select name from project")).rows).toEqual([{ name: "kept" }]);
  });
});

async function nextOf<Value>(values: AsyncIterable<Value>): Promise<Value | undefined> {
  for await (const value of values) return value;
  return undefined;
}
