import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";

/** The database of the service, for what a bench waits for and for the time that it passes. */
export interface Database {
  /** The connection is new: the database restarts in between. */
  query(sql: string, params?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  /** Waits until the number in the first column is `count`, and then that it is so. @throws after fifteen minutes */
  until(count: number, sql: string, params?: readonly unknown[]): Promise<void>;
  /** Makes what the service does each hour due now: asking the git host for repositories and rights. */
  passAnHour(): Promise<void>;
}

const waitMs = 900_000;

export function openDatabase(url: string): Database {
  const own: Database = {
    async query(sql, params = []) {
      const client = new Client({ connectionString: url });
      client.on("error", () => {});
      await client.connect();
      try {
        const { rows } = await client.query<Record<string, unknown>>(sql, [...params]);
        return rows;
      } finally {
        await client.end();
      }
    },
    async until(count, sql, params) {
      const limit = performance.now() + waitMs;
      for (;;) {
        const [row = {}] = await own.query(sql, params);
        const [value] = Object.values(row);
        if (Number(value) === count) return;
        if (performance.now() > limit) throw new Error(`${String(value)} instead of ${count}: ${sql}`);
        await sleep(100);
      }
    },
    async passAnHour() {
      await own.query("update host_rights set run_at = now()");
      await own.query("update followed_account set run_at = now()");
      await own.query("select pg_notify('citewell_account_due', '')");
    },
  };
  return own;
}
