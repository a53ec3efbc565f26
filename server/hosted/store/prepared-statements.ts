import type * as Pglite from "@electric-sql/pglite";
import type { QueryResult } from "./store.ts";

/** Runs single statements of PGlite, each of which is parsed and planned when it is first used. */
export interface PreparedStatements {
  query(sql: string, params: readonly unknown[]): Promise<QueryResult>;
  /** Call it before a change of the schema: the columns of a prepared statement must not change. */
  forget(): Promise<void>;
}

interface Prepared {
  name: string;
  /** The types of the parameters. */
  types: number[];
}

/**
 * Prepares statements. PGlite's own `query` parses and plans its statement each time, in six messages, which takes several
 * times as long. Texts of statements must be constant: all are kept.
 */
export function createPreparedStatements(
  database: Pglite.PGlite,
  { protocol: { serialize }, parse }: Pick<typeof Pglite, "protocol" | "parse">,
): PreparedStatements {
  const prepared = new Map<string, Prepared>();
  let count = 0;
  const send = (...messages: Uint8Array[]) =>
    database.execProtocolStream(Buffer.concat([...messages, serialize.sync()]));

  async function prepare(sql: string): Promise<Prepared> {
    const name = `statement_${count++}`;
    const described = await send(serialize.parse({ name, text: sql }), serialize.describe({ type: "S", name }));
    const statement = { name, types: parse.parseDescribeStatementResults(described) };
    prepared.set(sql, statement);
    return statement;
  }

  async function run(sql: string, params: readonly unknown[]): Promise<QueryResult> {
    const { name, types } = prepared.get(sql) ?? (await prepare(sql));
    const values = params.map((value, index) => {
      const toText = database.serializers[types[index] ?? 0] ?? String;
      return value === null || value === undefined ? null : toText(value);
    });
    const messages = await send(
      serialize.bind({ statement: name, values }),
      serialize.describe({ type: "P" }),
      serialize.execute({}),
    );
    const [{ rows, affectedRows = 0 } = { rows: [] }] = parse.parseResults(messages, database.parsers);
    return { rows, count: Math.max(rows.length, affectedRows) };
  }

  return {
    query: (sql, params) => database.runExclusive(() => run(sql, params)),
    forget: () =>
      database.runExclusive(async () => {
        // Unlike SQL, these messages may come before `set transaction`, and in a failed transaction.
        const names = [...prepared.values()].map(({ name }) => name);
        if (names.length > 0) await send(...names.map((name) => serialize.close({ type: "S", name })));
        prepared.clear();
      }),
  };
}
