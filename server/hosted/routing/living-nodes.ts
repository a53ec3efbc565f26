import * as z from "zod";
import { messageOf } from "../../errors.ts";
import type { Log } from "../../lib/log.ts";
import { allRows } from "../store/rows.ts";
import type { Queries } from "../store/store.ts";
import type { LivingNode } from "./preference.ts";

/** The other running nodes, as last read. Disposing of it removes this node from the table. */
export interface LivingNodes extends AsyncDisposable {
  others(): readonly LivingNode[];
}

interface LivingNodesOptions {
  store: Pick<Queries, "query">;
  /** The address of this node. */
  url: string;
  /** The number of calls that this node is answering. */
  running: () => number;
  log: Log;
}

const intervalMs = 2000;
/** A node whose row is older is considered stopped. */
const lifetime = "interval '10 s'";
const Row = z.object({ url: z.string(), running: z.number() });

/**
 * Writes this node's row and reads the others every two seconds. While the database is unavailable, the list is empty.
 */
export async function joinNodes({ store, url, running, log }: LivingNodesOptions): Promise<LivingNodes> {
  let others: readonly LivingNode[] = [];
  let isKnown = true;
  let isEnded = false;
  async function beat(): Promise<void> {
    try {
      const result = await store.query(
        `with beat as (
           insert into node (url, running) values ($1, $2)
           on conflict (url) do update set running = $2, seen_at = now()),
         gone as (delete from node where seen_at < now() - interval '1 hour' and url <> $1)
         select url, running from node where url <> $1 and seen_at > now() - ${lifetime}`,
        [url, running()],
      );
      others = allRows(Row, result);
      isKnown = true;
    } catch (error) {
      if (isKnown) log.warn("nodes-unknown", { error: messageOf(error) });
      others = [];
      isKnown = false;
    }
  }
  let beating = beat();
  await beating;
  const timer = setInterval(() => {
    beating = beating.then(() => (isEnded ? undefined : beat()));
  }, intervalMs).unref();
  return {
    others: () => others,
    async [Symbol.asyncDispose]() {
      if (isEnded) return;
      isEnded = true;
      clearInterval(timer);
      await beating;
      // If the row remains, other nodes still pass calls here for some seconds, then answer them themselves.
      await store.query("delete from node where url = $1", [url]).catch(() => {});
    },
  };
}
