import * as z from "zod";
import type { FetchState, ProjectLimits } from "../../protocol/hosted.ts";
import { requireDisk } from "../limits/disk.ts";
import { countFetches, readLimits } from "../limits/project-limits.ts";
import { type Queries, type Reader, type Store, storeFor } from "../store/store.ts";
import { allRows } from "../store/rows.ts";
import { countCaused, requestFetch } from "./queue.ts";
import { readFetchStates } from "./states.ts";

/** The fetches of one project's resources, which any process of the service runs. */
export interface Fetches {
  /**
   * Requests fetches of the newest revisions: of these resources, or of all. @throws LimitReached, OperationNotAllowed
   */
  request(resources?: readonly string[]): Promise<void>;
  /** The states by the name of the resource. */
  states(): Promise<ReadonlyMap<string, FetchState>>;
  /** The same. Records that these resources, or all if none are named, were asked about: they are fetched daily. */
  statesForQuestion(resources: readonly string[]): Promise<ReadonlyMap<string, FetchState>>;
}

/** The fetches of a project, of the resources that a reader may see. */
export function fetchesOf(
  store: Pick<Store, "asProject" | "query">,
  project: string,
  { reader }: { reader?: Reader | undefined } = {},
): Fetches {
  const own = storeFor(store, reader);
  return {
    async request(named) {
      const seen = await own.asProject(project, ({ query }) =>
        query("select name from resource where project = $1 and ($2::text[] is null or name = any ($2::text[]))", [
          project,
          named ?? null,
        ]),
      );
      const resources = allRows(z.object({ name: z.string() }), seen).map(({ name }) => name);
      const limits = await readLimits(store, project);
      // Limits count the resources that the reader may not see, too.
      await store.asProject(project, (queries) => requestWithin(queries, project, { resources, limits }));
    },
    states: () => own.asProject(project, (queries) => readFetchStates(queries, project)),
    statesForQuestion: (asked) => own.asProject(project, (queries) => readFetchStates(queries, project, { asked })),
  };
}

/**
 * Requests fetches within the limits of a project: of these resources, or of all. @throws LimitReached,
 * OperationNotAllowed
 */
export async function requestWithin(
  queries: Queries,
  project: string,
  {
    resources,
    limits,
  }: { resources: readonly string[] | undefined; limits: Pick<ProjectLimits, "fetches" | "diskGb"> },
): Promise<void> {
  // Serialized, so that two requests do not both cause the same fetch, or use the same remainder.
  await queries.query("select pg_advisory_xact_lock(hashtextextended($1, 3))", [project]);
  await requireDisk(queries, project, limits.diskGb);
  const count = await countCaused(queries, project, { resources });
  await countFetches(queries, project, { count, limit: limits.fetches });
  await requestFetch(queries, project, { resources });
}
