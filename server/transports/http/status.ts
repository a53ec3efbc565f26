import type { CitewellError } from "../../errors.ts";
import type { ErrorKind } from "../../protocol/error-tags.ts";
import { operationRoutes } from "./routes.ts";

/** docs/contract.md, "Local server API". A reference to something that does not exist is an unknown resource. */
export const statusByKind: Record<ErrorKind, number> = {
  auth: 401,
  "bad-request": 400,
  cancelled: 500,
  config: 500,
  forbidden: 403,
  internal: 500,
  "method-not-allowed": 405,
  "not-found": 404,
  provider: 502,
  "provider-timeout": 504,
  "rate-limited": 429,
  resource: 502,
  "resource-missing": 404,
  "resource-timeout": 504,
  storage: 500,
  "too-large": 413,
  unavailable: 503,
  "unsupported-media-type": 415,
};

const reloadPath = operationRoutes.find(({ name }) => name === "reloadConfig")?.path;

/** An invalid configuration is a bad request only for `POST /reload-config` (docs/contract.md). */
export function statusOf({ kind, tag }: CitewellError, path: string): number {
  return tag === "ConfigInvalid" && path === reloadPath ? 400 : statusByKind[kind];
}
