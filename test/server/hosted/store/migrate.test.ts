import { describe, expect, test } from "vitest";
import { migrate } from "../../../../server/hosted/store/migrate.ts";
import type { Engine } from "../../../../server/hosted/store/store.ts";
import { openTestEngine, testEngines } from "../../../support/stores.ts";

const first = { name: "0001-a", sql: "create table a (n int); insert into a values (1)" };
const second = { name: "0002-b", sql: "create table b (n int); insert into a values (2)" };

const rowsOf = async (engine: Engine) => (await engine.query("select n from a order by n")).rows.map(({ n }) => n);

describe.each(testEngines())("migrations on $name", (engine) => {
  test("each step runs once, in order", async () => {
    await using database = await openTestEngine(engine);
    await migrate(database, [first]);
    await migrate(database, [first, second]);
    expect(await rowsOf(database)).toEqual([1, 2]);
  });

  test("nodes that start together run each step once", async () => {
    await using database = await openTestEngine(engine);
    await Promise.all([1, 2, 3].map(() => migrate(database, [first, second])));
    expect(await rowsOf(database)).toEqual([1, 2]);
  });

  test("a failing step leaves nothing of those before it", async () => {
    await using database = await openTestEngine(engine);
    const broken = { name: "0002-b", sql: "create table b (n int); select nonsense" };
    await expect(migrate(database, [first, broken])).rejects.toMatchObject({ code: "42703" });
    await expect(rowsOf(database)).rejects.toMatchObject({ code: "42P01" });
  });

  test("a step that was changed after it ran is refused", async () => {
    await using database = await openTestEngine(engine);
    await migrate(database, [first]);
    await expect(migrate(database, [{ ...first, sql: `${first.sql} -- changed` }])).rejects.toThrow(
      'the migration "0001-a" was changed after it ran on this database',
    );
  });

  test("a step that replaces earlier ones does not run where they did", async () => {
    await using database = await openTestEngine(engine);
    await migrate(database, [first, second]);
    const baseline = { name: "0001-baseline", sql: "create table a (n int)", replaces: "0002-b" };
    const third = { name: "0003-c", sql: "insert into a values (3)" };
    for (const _start of [1, 2]) await migrate(database, [baseline, third]);
    expect(await rowsOf(database)).toEqual([1, 2, 3]);
    const { rows } = await database.query("select name from migration order by name");
    expect(rows).toEqual([{ name: "0001-baseline" }, { name: "0003-c" }]);
  });

  test("a database that ran only some of the replaced steps is refused", async () => {
    await using database = await openTestEngine(engine);
    await migrate(database, [first]);
    const baseline = { name: "0001-baseline", sql: "create table c (n int)", replaces: "0002-b" };
    await expect(migrate(database, [baseline])).rejects.toMatchObject({
      tag: "StorageFailed",
      message: expect.stringContaining('did not run the migration "0002-b"'),
    });
    expect(await rowsOf(database)).toEqual([1]);
  });

  test("a user without a right gets the statement that gives it", async () => {
    await using database = await openTestEngine(engine);
    const role = `plain_${crypto.randomUUID().replaceAll("-", "")}`;
    const sql = `create role ${role}; set local role ${role}; create role ${role}_other`;
    await expect(migrate(database, [{ name: "0001-roles", sql }])).rejects.toMatchObject({
      tag: "StorageFailed",
      message: expect.stringMatching(/lacks a right: permission denied to create role/),
      hint: expect.stringMatching(/^as an administrator of the database run: alter role ".+" createrole/),
    });
  });

  test("an older version runs on the schema of a newer one", async () => {
    await using database = await openTestEngine(engine);
    await migrate(database, [first, second]);
    await migrate(database, [first]);
    expect(await rowsOf(database)).toEqual([1, 2]);
  });
});
