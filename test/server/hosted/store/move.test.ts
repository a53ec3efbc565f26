import { describe, expect, test, vi } from "vitest";
import { moveTables } from "../../../../server/hosted/store/move.ts";
import type { Engine } from "../../../../server/hosted/store/store.ts";
import { createKey, authenticate } from "../../../../server/hosted/tenants/keys.ts";
import { createProject, listProjects } from "../../../../server/hosted/tenants/projects.ts";
import { openTestStore, testEngines } from "../../../support/stores.ts";

// Opening an embedded database takes seconds on a busy machine.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const engines = testEngines();
const [embedded] = engines;
if (embedded === undefined) throw new Error("there is no embedded engine");

// Services move to PostgreSQL; where it is not installed, to another embedded database.
describe.each(engines.slice(-1))("moving from the embedded engine to $name", (engine) => {
  test("copies every table, and keys work there at once", async () => {
    await using source = await openTestStore(embedded);
    await using target = await openTestStore(engine);
    const project = await createProject(source, "team");
    const { key } = await createKey(source, project, { name: "agent", scopes: ["ask"] });
    await source.query(
      `insert into resource (project, name, spec)
       select $1, 'r' || n, jsonb_build_object('type', 'npm', 'package', 'p' || n) from generate_series(1, 4500) n`,
      [project.id],
    );
    const { tables } = await moveTables(source, target);
    expect(tables).toEqual(
      expect.arrayContaining([
        { table: "project", rows: 1 },
        { table: "api_key", rows: 1 },
        { table: "resource", rows: 4500 },
        { table: "audit", rows: 2 },
      ]),
    );
    expect(await authenticate(target, key)).toMatchObject({ project: { name: project.name } });
    await createKey(target, project, { name: "second", scopes: ["ask"] });
    expect((await target.query("select max(id) as id from audit")).rows).toEqual([{ id: 4 }]);
  });

  test("a database with projects is refused and stays as it is", async () => {
    await using source = await openTestStore(embedded);
    await using target = await openTestStore(engine);
    await createProject(source, "team");
    const project = await createProject(target, "other");
    await expect(moveTables(source, target)).rejects.toMatchObject({ tag: "AlreadyExists" });
    expect(await listProjects(target)).toEqual([project]);
  });

  test("a row that differs after the copy undoes all of it", async () => {
    await using source = await openTestStore(embedded);
    await using target = await openTestStore(engine);
    await createProject(source, "team");
    await target.exec(`
      create function spoil() returns trigger language plpgsql as $$ begin new.name := 'spoiled'; return new; end $$;
      create trigger spoil before insert on project for each row execute function spoil()`);
    await expect(moveTables(source, target)).rejects.toThrow('the rows of the table "project" differ after the copy');
    expect(await listProjects(target)).toEqual([]);
  });

  test("a failure in the middle leaves the target empty", async () => {
    await using source = await openTestStore(embedded);
    await using target = await openTestStore(engine);
    await createProject(source, "team");
    let reads = 0;
    const failing: Pick<Engine, "tx"> = {
      tx: (work) =>
        source.tx(({ query, exec }) =>
          work({
            exec,
            async query(sql, params) {
              if (sql.startsWith("fetch") && (reads += 1) === 4) throw new Error("the connection was lost");
              return query(sql, params);
            },
          }),
        ),
    };
    await expect(moveTables(failing, target)).rejects.toThrow("the connection was lost");
    expect(await listProjects(target)).toEqual([]);
    expect((await moveTables(source, target)).tables).toContainEqual({ table: "project", rows: 1 });
  });

  test("a table that one of them lacks is refused by its name", async () => {
    await using source = await openTestStore(embedded);
    await using target = await openTestStore(engine);
    await source.exec("create table newer (id int)");
    await expect(moveTables(source, target)).rejects.toThrow("the tables of the two databases differ: newer(id)");
  });
});
