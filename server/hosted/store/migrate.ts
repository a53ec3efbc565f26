import { createHash } from "node:crypto";
import { CitewellError, codeOf, messageOf } from "../../errors.ts";
import type { Engine } from "./store.ts";

/** One step of the schema. It never changes after a release; nodes of the version before must still run after it. */
export interface Migration {
  /** `0019-failure-tags`: steps run in the order of the table. */
  name: string;
  sql: string;
  /** The name of the last of the steps that this one replaces: a database that ran that one already has this schema. */
  replaces?: string;
}

/** Whether a database that ran the steps of these names has the schema of `step`. */
export function hasRun(step: Migration, names: readonly string[]): boolean {
  return names.includes(step.name) || (step.replaces !== undefined && names.includes(step.replaces));
}

/**
 * Runs the steps that have not run on this database, all in one transaction. Nodes that start together run them once: the
 * others wait. Steps of a newer version are left alone.
 * @throws StorageFailed (a step was changed after it ran, the database is older than the steps that one replaces, or its
 * user may not run a step)
 */
export async function migrate(engine: Pick<Engine, "tx">, migrations: readonly Migration[]): Promise<void> {
  await engine.tx(async ({ query, exec }) => {
    await query("select pg_advisory_xact_lock(hashtextextended('citewell migration', 0))");
    await exec(`create table if not exists migration (
      name text primary key, sha256 text not null, applied_at timestamptz not null default now())`);
    const { rows: users } = await query("select current_user as name");
    const { rows } = await query("select name, sha256 from migration");
    const applied = new Map(rows.map(({ name, sha256 }) => [name, sha256]));
    for (const { name, sql, replaces } of migrations) {
      const sha256 = createHash("sha256").update(sql).digest("hex");
      if (applied.get(name) === sha256) continue;
      if (applied.has(name)) throw changed(name);
      if (replaces !== undefined && applied.size > 0) {
        if (!applied.has(replaces)) throw tooOld(replaces);
        await query("delete from migration where name <= $1", [replaces]);
      } else {
        await exec(sql).catch((error: unknown) => {
          throw codeOf(error) === insufficientPrivilege ? notAllowed(error, String(users[0]?.["name"])) : error;
        });
      }
      await query("insert into migration (name, sha256) values ($1, $2)", [name, sha256]);
    }
  });
}

const insufficientPrivilege = "42501";

/** Managed databases often give a user without the right to create roles. */
function notAllowed(cause: unknown, user: string): CitewellError {
  return new CitewellError("StorageFailed", `the database's user ${user} lacks a right: ${messageOf(cause)}`, {
    hint: `as an administrator of the database run: alter role "${user}" createrole; and start again`,
    cause,
  });
}

function tooOld(step: string): CitewellError {
  return new CitewellError(
    "StorageFailed",
    `a version of citewell from before the first release created this database, and did not run the migration "${step}" on it`,
    {
      hint: "start commit 6c9ebc7 of citewell on it once, then this version",
    },
  );
}

function changed(name: string): CitewellError {
  return new CitewellError("StorageFailed", `the migration "${name}" was changed after it ran on this database`, {
    hint: "start the version of citewell that created this database, or a released one",
  });
}
