import * as z from "zod";
import { messageOf } from "../../errors.ts";
import type { Log } from "../../lib/log.ts";
import { allRows } from "../store/rows.ts";
import type { Queries } from "../store/store.ts";
import type { LivingNode } from "./preference.ts";

/** The other nodes that live, as this one last read them. Disposing of it takes this node out of their lists. */
export interface LivingNodes extends AsyncDisposable {
  others(): readonly LivingNode[];
}

interface LivingNodesOptions {
  store: Pick<Queries, "query">;
  /** Of this node. */
  url: string;
  /** How many calls this node answers. */
  running: () => number;
  log: Log;
}

const intervalMs = 2000;
/** How long a row counts after it was last written. */
const lifetime = "interval '10 s'";
const Row = z.object({ url: z.string(), running: z.number() });

/** Writes this node's row, and reads those of the others, every two seconds. While the database is away, there are none. */
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
      // If the row stays, calls arrive for some seconds more, and their senders answer them.
      await store.query("delete from node where url = $1", [url]).catch(() => {});
    },
  };
}
