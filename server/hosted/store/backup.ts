import { createReadStream } from "node:fs";
import { open, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { renameWhenFree } from "../../lib/rename.ts";
import { hasRun, migrate, type Migration } from "./migrate.ts";
import { allRows } from "./rows.ts";
import type { Engine, Queries } from "./store.ts";
import {
  insertRows,
  listSequences,
  listTables,
  readRows,
  refillTables,
  Sequence,
  setSequence,
  type Table,
  usePortableText,
} from "./tables.ts";

/**
 * A backup is gzipped lines of JSON: a header, then for each table its name and its rows, then the sequences, and how many
 * rows there were. A row is an object, everything else an array. It holds values and no files of the engine, so another
 * version of it can read the backup.
 */
const Header = z.tuple([
  z.literal("citewell-backup"),
  z.object({ format: z.literal(1), createdAt: z.string(), migrations: z.array(z.string()) }),
]);
const Mark = z.union([
  z.tuple([z.literal("table"), z.string()]),
  z.tuple([z.literal("sequence"), Sequence]),
  z.tuple([z.literal("end"), z.number()]),
]);

/**
 * Writes all tables to a file. The file is complete and on the disk when it gets its name.
 * @throws errors of `fs` and of the engine
 */
export async function writeBackup(engine: Pick<Engine, "tx">, file: string): Promise<void> {
  const part = `${file}.part`;
  try {
    const handle = await open(part, "w", 0o600);
    try {
      await engine.tx((queries) => pipeline(dump(queries), createGzip(), (packed) => writeFile(handle, packed)));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await renameWhenFree(part, file);
    // A rename is on the disk when its folder is; Windows cannot open folders.
    await flushFolder(path.dirname(file)).catch(() => {});
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/**
 * Fills an empty database from a backup: with the schema of the time of the backup first, which is then brought up to date.
 * @returns when the backup was written, as ISO 8601
 * @throws StorageFailed (a damaged backup, or one of a newer version of citewell)
 */
export async function restoreBackup(
  engine: Pick<Engine, "tx">,
  file: string,
  migrations: readonly Migration[],
): Promise<string> {
  const lines = linesOf(file);
  try {
    const { value: first = "" } = await lines.next();
    const header = Header.safeParse(parseJson(first));
    if (!header.success) throw damaged(file, "its first line is not the header of a backup");
    const [, { createdAt, migrations: applied }] = header.data;
    const isKnown = (name: string) => migrations.some((step) => step.name === name || name <= (step.replaces ?? ""));
    if (!applied.every(isKnown)) throw tooNew(file);
    const earlier = migrations.filter((step) => hasRun(step, applied));
    await migrate(engine, earlier);
    await engine.tx((queries) => refillTables(queries, (tables) => load(lines, { queries, tables, file })));
    await migrate(engine, migrations);
    return createdAt;
  } finally {
    await lines.return(undefined);
  }
}

async function* dump(queries: Queries): AsyncGenerator<string> {
  await usePortableText(queries);
  const steps = await queries.query("select name from migration order by name");
  const migrations = allRows(z.object({ name: z.string() }), steps).map(({ name }) => name);
  yield lineOf(["citewell-backup", { format: 1, createdAt: new Date().toISOString(), migrations }]);
  let count = 0;
  for (const table of await listTables(queries)) {
    yield lineOf(["table", table.name]);
    for await (const rows of readRows(queries, table)) {
      count += rows.length;
      yield `${rows.join("\n")}\n`;
    }
  }
  for (const sequence of await listSequences(queries)) yield lineOf(["sequence", sequence]);
  yield lineOf(["end", count]);
}

function lineOf(mark: z.infer<typeof Header> | z.infer<typeof Mark>): string {
  return `${JSON.stringify(mark)}\n`;
}

const batchRows = 2000;
const chunkBytes = 2 ** 18;

async function load(
  lines: AsyncIterable<string>,
  { queries, tables, file }: { queries: Queries; tables: Table[]; file: string },
): Promise<void> {
  let table: Table | undefined;
  let batch: string[] = [];
  let count = 0;
  const insert = async () => {
    if (table !== undefined && batch.length > 0) await insertRows(queries, table, batch);
    batch = [];
  };
  for await (const line of lines) {
    if (line.startsWith("{")) {
      count += 1;
      batch.push(line);
      if (batch.length === batchRows) await insert();
      continue;
    }
    await insert();
    const mark = Mark.safeParse(parseJson(line));
    if (!mark.success) throw damaged(file, "it has a line that is neither a row nor a mark");
    const [kind, value] = mark.data;
    if (kind === "sequence") await setSequence(queries, value);
    else if (kind === "table") {
      table = tables.find(({ name }) => name === value);
      if (table === undefined) throw damaged(file, `its table "${value}" is not in the schema`);
    } else if (value === count) return;
    else throw damaged(file, `${value} rows were written to it, and ${count} are there`);
  }
  throw damaged(file, "its end is missing");
}

/** Lines end at line feeds only; `readline` would also break them at U+2028 inside of a text. */
async function* linesOf(file: string): AsyncGenerator<string, undefined> {
  const source = createReadStream(file);
  const gunzip = createGunzip({ chunkSize: chunkBytes });
  source.on("error", (error) => gunzip.destroy(error));
  source.pipe(gunzip).setEncoding("utf8");
  let rest = "";
  try {
    for await (const chunk of gunzip) {
      const lines = `${rest}${String(chunk)}`.split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } catch (error) {
    throw damaged(file, "it cannot be unpacked", error);
  } finally {
    source.destroy();
  }
  return undefined;
}

async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function tooNew(file: string): CitewellError {
  return new CitewellError("StorageFailed", `a newer version of citewell wrote the backup ${file}`, {
    hint: "start that version or a newer one",
  });
}

function damaged(file: string, fault: string, cause?: unknown): CitewellError {
  return new CitewellError("StorageFailed", `the backup ${file} is damaged: ${fault}`, {
    hint: "an older backup in the same folder may be intact",
    cause,
  });
}
