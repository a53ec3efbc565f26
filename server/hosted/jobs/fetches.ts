import type { FetchState } from "../../protocol/hosted.ts";
import type { Store } from "../store/store.ts";
import { requestFetch } from "./queue.ts";
import { readFetchStates } from "./states.ts";

/** The fetches of one project's resources, which any process of the service runs. */
export interface Fetches {
  /** Requests fetches of the newest revisions: of these resources, or of all. */
  request(resources?: readonly string[]): Promise<void>;
  /** By the name of the resource. */
  states(): Promise<ReadonlyMap<string, FetchState>>;
  /** The same. Records that these resources, or all if none are named, were asked about: they are fetched daily. */
  statesForQuestion(resources: readonly string[]): Promise<ReadonlyMap<string, FetchState>>;
}

/** The fetches of a project. */
export function fetchesOf(store: Pick<Store, "asProject">, project: string): Fetches {
  return {
    request: (resources) => store.asProject(project, (queries) => requestFetch(queries, project, { resources })),
    states: () => store.asProject(project, (queries) => readFetchStates(queries, project)),
    statesForQuestion: (asked) => store.asProject(project, (queries) => readFetchStates(queries, project, { asked })),
  };
}
