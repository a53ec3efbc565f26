import { readdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, test, vi } from "vitest";
import { createChannel } from "../../../../server/lib/channel.ts";
import { createLog, silentLog } from "../../../../server/lib/log.ts";
import { restoreBackup, writeBackup } from "../../../../server/hosted/store/backup.ts";
import { expiredBackups, listBackups, startBackups } from "../../../../server/hosted/store/backups.ts";
import { migrate } from "../../../../server/hosted/store/migrate.ts";
import { migrations } from "../../../../server/hosted/store/migrations.ts";
import { openStore, type Engine } from "../../../../server/hosted/store/store.ts";
import { checksumOf, listTables, usePortableText } from "../../../../server/hosted/store/tables.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { openTestEngine, openTestStore, type TestEngine, testEngines } from "../../../support/stores.ts";

// Opening an embedded database takes seconds on a busy machine.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const engines = testEngines();

/** Values that a copy through JSON could spoil, more rows than are read at a time, and a cycle of foreign keys. */
const sample = `
  create table sample (id bigint generated always as identity primary key, large bigint, bytes bytea, texts text[],
    json jsonb, at timestamptz, number double precision, length interval, next bigint generated always as (large + 1) stored);
  alter table sample add parent bigint references sample;
  insert into sample (large, bytes, texts, json, at, number, length, parent)
    select 4611686018427387000 + n, decode('00ff' || lpad(to_hex(n), 6, '0'), 'hex'), array['a"b', null, E'line\\nbreak', U&'\\2028'],
      jsonb_build_object('n', 12345678901234567890.5, 't', E'\\n'), '2026-01-02 03:04:05.678901+02', 0.1::float8 + n,
      '1 month 2 days 3.5 seconds', case when n > 1 then n - 1 end
    from generate_series(1, 2500) n;
  insert into project (name) values ('kept');
  insert into rate values ('key', 1.5);
  insert into audit (project, actor, action, target) select id, 'a', 'b', 'c' from project`;

/** The time zone of the engines is that of the machine, or another. */
async function checksums(store: Engine): Promise<Record<string, unknown>> {
  return store.tx(async (queries) => {
    await usePortableText(queries);
    const entries: [string, unknown][] = [];
    for (const table of await listTables(queries)) entries.push([table.name, await checksumOf(queries, table)]);
    return Object.fromEntries(entries);
  });
}

const withSample = [...migrations, { name: "9999-sample", sql: sample }];

describe.each(engines)("a backup of $name", (engine) => {
  test("has every row of every table, and restores them on each engine", async () => {
    await using folder = await temporaryFolder();
    await using store = await openTestEngine(engine);
    await migrate(store, withSample);
    const file = path.join(folder.path, "backup.ndjson.gz");
    await writeBackup(store, file);
    expect(await readdir(folder.path)).toEqual(["backup.ndjson.gz"]);
    const before = await checksums(store);
    expect(before).toMatchObject({
      sample: { rows: 2500 },
      project: { rows: 1 },
      rate: { rows: 1 },
      audit: { rows: 1 },
    });
    for (const other of engines) {
      await using restored = await openTestEngine(other);
      await restoreBackup(restored, file, withSample);
      expect(await checksums(restored)).toEqual(before);
      const next = await restored.query("insert into sample (large) values (1) returning id, next");
      expect(next.rows).toEqual([{ id: 2501, next: 2 }]);
      await expect(restored.query("insert into sample (parent) values (9999)")).rejects.toMatchObject({
        code: "23503",
      });
    }
  });

  test("of an older schema is restored and brought up to date", async () => {
    await using folder = await temporaryFolder();
    await using store = await openTestStore(engine);
    await store.query("insert into project (name) values ('kept')");
    const file = path.join(folder.path, "backup.ndjson.gz");
    await writeBackup(store, file);
    await using restored = await openTestEngine(engine);
    const step = { name: "9999-more", sql: "alter table project add note text default 'new'" };
    await restoreBackup(restored, file, [...migrations, step]);
    expect((await restored.query("select name, note from project")).rows).toEqual([{ name: "kept", note: "new" }]);
    await using older = await openTestEngine(engine);
    await expect(restoreBackup(older, file, [])).rejects.toThrow("a newer version of citewell wrote the backup");
  });

  test("of the steps before the baseline is restored", async () => {
    await using folder = await temporaryFolder();
    await using store = await openTestStore(engine);
    await store.query("insert into project (name) values ('kept')");
    const file = path.join(folder.path, "backup.ndjson.gz");
    await writeBackup(store, file);
    const names = (index: number) => (index === 0 ? '"0001-projects","0018-key-resources"' : '"0018-key-resources"');
    const toOlder = edited((lines) => lines.map((line, index) => line.replace('"0001-baseline"', names(index))));
    await writeFile(file, toOlder(await readFile(file)));
    await using restored = await openTestEngine(engine);
    await restoreBackup(restored, file, migrations);
    expect((await restored.query("select name from project")).rows).toEqual([{ name: "kept" }]);
  });

  test.each([
    ["cut short", (packed: Buffer) => packed.subarray(0, packed.length - 20), "cannot be unpacked"],
    ["without its end", edited((lines) => lines.slice(0, -2)), "its end is missing"],
    [
      "that lacks a row",
      edited((lines) => lines.filter((line) => !line.includes('"kept"'))),
      "rows were written to it",
    ],
    ["of another kind", () => gzipSync("{}\n"), "not the header of a backup"],
  ])("%s is refused, and nothing is written", async (_name, spoil, message) => {
    await using folder = await temporaryFolder();
    await using store = await openTestStore(engine);
    await store.query("insert into project (name) values ('kept')");
    const file = path.join(folder.path, "backup.ndjson.gz");
    await writeBackup(store, file);
    await writeFile(file, spoil(await readFile(file)));
    await using restored = await openTestStore(engine);
    await expect(restoreBackup(restored, file, migrations)).rejects.toThrow(message);
    expect((await restored.query("select from project")).count).toBe(0);
  });
});

describe("the embedded database's backups", () => {
  const [embedded] = engines;
  const openAt = (directory: string, lines: string[] = []) =>
    openStore({ directory }, { log: createLog("info", (line) => lines.push(line)) });

  test("are written at a clean stop, and restored if another version of PostgreSQL wrote the files", async () => {
    const directory = await directoryOf(embedded);
    const first = await openAt(directory);
    await first.query("insert into project (name) values ('kept')");
    await first.close();
    expect(await listBackups(directory)).toHaveLength(1);
    await writeFile(path.join(directory, "postgres", "PG_VERSION"), "17\n");
    const lines: string[] = [];
    const second = await openAt(directory, lines);
    expect((await second.query("select name from project")).rows).toEqual([{ name: "kept" }]);
    await second.close();
    expect(lines.join("")).toMatch(
      /database-restored message="this version cannot open the files that PostgreSQL 17 wrote, which are now in \S+postgres-17-\d+: the backup of \S+Z was restored, and what was written after it is missing"/,
    );
    expect((await readdir(directory)).filter((name) => name.startsWith("postgres"))).toEqual([
      "postgres",
      expect.stringMatching(/^postgres-17-\d+$/),
    ]);
  });

  test("are restored if the files were moved away; an unusable backup gives way to the one before it", async () => {
    const directory = await directoryOf(embedded);
    for (const name of ["first", "second"]) {
      await using store = await openAt(directory);
      await store.query("insert into project (name) values ($1)", [name]);
    }
    const [newest = ""] = await listBackups(directory);
    await writeFile(newest, "no gzip");
    await rename(path.join(directory, "postgres"), path.join(directory, "away"));
    const lines: string[] = [];
    await using store = await openAt(directory, lines);
    expect((await store.query("select name from project")).rows).toEqual([{ name: "first" }]);
    expect(lines.join("")).toContain("database-backup-unusable");
  });

  test("are not restored over damaged files of the same version: the error says how to do that", async () => {
    const directory = await directoryOf(embedded);
    await (await openAt(directory)).close();
    await writeFile(path.join(directory, "postgres", "global", "pg_control"), "damaged");
    await expect(openAt(directory)).rejects.toMatchObject({
      tag: "StorageFailed",
      hint: expect.stringMatching(/^move \S+ away: the next start restores the backup \S+\.ndjson\.gz$/),
    });
  });

  test("without a backup, files of another version are refused with that version", async () => {
    const directory = await directoryOf(embedded);
    await writeFile(path.join(directory, "postgres", "PG_VERSION"), "17\n");
    await expect(openAt(directory)).rejects.toThrow("PostgreSQL 17 wrote it");
  });

  test("are written at intervals too", async () => {
    const directory = await directoryOf(embedded);
    await using store = await openAt(directory);
    const written = createChannel<void>();
    const engine: Pick<Engine, "tx"> = {
      tx: async (work) => {
        const value = await store.tx(work);
        written.push();
        return value;
      },
    };
    await using _backups = startBackups(engine, directory, { log: silentLog, everyMs: 1 });
    expect(await written[Symbol.asyncIterator]().next()).toMatchObject({ done: false });
    written.close();
  });

  test("that fail are logged, and leave no file", async () => {
    await using folder = await temporaryFolder();
    const lines: string[] = [];
    const log = createLog("info", (line) => lines.push(line));
    const broken = { tx: () => Promise.reject(new Error("no disk space")) };
    await startBackups(broken, folder.path, { log })[Symbol.asyncDispose]();
    expect(lines).toEqual([expect.stringMatching(/error database-backup-failed .* error="no disk space"/)]);
    expect(await readdir(path.join(folder.path, "backups"))).toEqual([]);
  });

  test("the newest six are kept, and the newest one of each of seven days", () => {
    const hour = (day: number, time: number) =>
      `/b/2026-01-${String(day).padStart(2, "0")}T${String(time).padStart(2, "0")}-00-00-000Z.ndjson.gz`;
    const all = Array.from({ length: 9 }, (_, day) => [hour(9 - day, 20), hour(9 - day, 10)]).flat();
    const kept = all.filter((file) => !expiredBackups(all).includes(file));
    expect(kept).toEqual([
      hour(9, 20),
      hour(9, 10),
      hour(8, 20),
      hour(8, 10),
      hour(7, 20),
      hour(7, 10),
      hour(6, 20),
      hour(5, 20),
      hour(4, 20),
      hour(3, 20),
    ]);
  });
});

function edited(edit: (lines: string[]) => string[]): (packed: Buffer) => Buffer {
  return (packed) => gzipSync(edit(gunzipSync(packed).toString().split("\n")).join("\n"));
}

async function directoryOf(engine: TestEngine | undefined): Promise<string> {
  const location = await engine?.createDatabase();
  if (location === undefined || !("directory" in location)) throw new Error("the first engine is not the embedded one");
  return location.directory;
}
