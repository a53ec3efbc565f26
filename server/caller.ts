import type { LogFields } from "./lib/log.ts";
import type { OperationName } from "./protocol/operations.ts";

/**
 * Who calls an operation, and what they may do. A transport makes one for each request, from a key, a session or the
 * fact that the connection is local.
 *
 * It is no proof of identity: the transport has checked that. `app.ts` enforces `operations` and the limits.
 */
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
