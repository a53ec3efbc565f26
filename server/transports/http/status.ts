import type { ErrorKind } from "../../protocol/error-tags.ts";

/** spec/wire.md, "Local server API". What a reference names and is not there counts as an unknown resource. */
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
  resource: 502,
  "resource-missing": 404,
  "resource-timeout": 504,
  storage: 500,
  "too-large": 413,
  "unsupported-media-type": 415,
};
