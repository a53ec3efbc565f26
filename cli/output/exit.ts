import { toCitewellError } from "../../server/errors.ts";
import type { ErrorKind } from "../../server/protocol/error-tags.ts";
import { exitCodes } from "./exit-codes.ts";

/** The exit code of each kind of error. */
export const exitCodeByKind: Record<ErrorKind, number> = {
  auth: exitCodes.auth,
  "bad-request": exitCodes.usage,
  cancelled: exitCodes.interrupted,
  config: exitCodes.failure,
  forbidden: exitCodes.failure,
  internal: exitCodes.failure,
  "method-not-allowed": exitCodes.usage,
  "not-found": exitCodes.notFound,
  provider: exitCodes.network,
  "provider-timeout": exitCodes.network,
  "rate-limited": exitCodes.failure,
  resource: exitCodes.resource,
  "resource-missing": exitCodes.resource,
  "resource-timeout": exitCodes.resource,
  storage: exitCodes.resource,
  "too-large": exitCodes.usage,
  unavailable: exitCodes.network,
  "unsupported-media-type": exitCodes.usage,
};

/** The exit code of an error; unknown errors are failures. */
export function exitCodeOf(error: unknown): number {
  return exitCodeByKind[toCitewellError(error).kind];
}
