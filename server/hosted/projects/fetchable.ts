import { setTimeout as sleep } from "node:timers/promises";
import { CitewellError, fromErrorBody } from "../../errors.ts";
import type { Patience } from "../../operations/open.ts";
import { readUndone } from "../jobs/states.ts";
import type { Store } from "../store/store.ts";
import { describeFetching } from "../jobs/describe-fetch.ts";

/** What questions of the service wait for: an agent rather gets the other resources at once, and asks again. */
export const servicePatience: Patience = { namedMs: 20_000, unnamedMs: 3000 };

const pollMs = 200;

/**
 * Refuses to fetch for a question what a worker is fetching, or has failed to fetch. A fetch that has just been requested
 * is awaited, so that a small resource can be asked about when it was added.
 * @throws NotReadyYet, and what the fetch failed with
 */
export async function requireFetchable(
  store: Pick<Store, "asProject">,
  { project, resource, youngMs }: { project: string; resource: string; youngMs: number },
  { signal }: { signal: AbortSignal },
): Promise<void> {
  for (;;) {
    const undone = await store.asProject(project, (queries) => readUndone(queries, project, resource));
    if (undone === undefined) return;
    const { state, failure, tag, ageMs } = undone;
    if (state === "failed") throw fromErrorBody({ error: failure ?? "", tag: tag ?? "RepositoryFailed" });
    if (ageMs >= youngMs) {
      throw new CitewellError("NotReadyYet", `the resource is ${describeFetching(undone)}`, {
        hint: "the fetch continues: ask again in a minute",
      });
    }
    await sleep(pollMs, undefined, { signal });
  }
}
