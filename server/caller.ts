import type { LogFields } from "./lib/log.ts";
import type { OperationName } from "./protocol/operations.ts";

/** The caller of an operation and what it may do; a transport makes one for each request. */
export interface Caller {
  /** The same for all requests of one client. */
  id: string;
  /** A program of this computer's user: paths on this computer are sent to it. */
  isLocal: boolean;
  /** The operations it may call; all of them when absent. */
  operations?: ReadonlySet<OperationName>;
  /** Upper bounds for one question, whatever the configuration allows. */
  limits: { maxSteps?: number; maxTokens?: number; maxCostUsd?: number };
  /** Added to each line that is logged for the request, its id among them. */
  logFields: LogFields;
}

/** The user of this computer. */
export const localCaller: Caller = { id: "local", isLocal: true, limits: {}, logFields: {} };
