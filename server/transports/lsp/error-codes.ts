import { ErrorCodes, LSPErrorCodes, ResponseError } from "vscode-languageserver";
import { toCitewellError, toErrorBody } from "../../errors.ts";
import type { ErrorBody } from "../../protocol/error.ts";
import type { ErrorKind } from "../../protocol/error-tags.ts";

/** What the protocol has no code for is a failed request; its `data` says which. */
const codeByKind: Record<ErrorKind, number> = {
  auth: LSPErrorCodes.RequestFailed,
  "bad-request": ErrorCodes.InvalidParams,
  cancelled: LSPErrorCodes.RequestCancelled,
  config: LSPErrorCodes.RequestFailed,
  forbidden: LSPErrorCodes.RequestFailed,
  internal: ErrorCodes.InternalError,
  "method-not-allowed": ErrorCodes.MethodNotFound,
  "not-found": LSPErrorCodes.RequestFailed,
  provider: LSPErrorCodes.RequestFailed,
  "provider-timeout": LSPErrorCodes.RequestFailed,
  "rate-limited": LSPErrorCodes.RequestFailed,
  resource: LSPErrorCodes.RequestFailed,
  "resource-missing": LSPErrorCodes.RequestFailed,
  "resource-timeout": LSPErrorCodes.RequestFailed,
  storage: LSPErrorCodes.RequestFailed,
  "too-large": ErrorCodes.InvalidParams,
  unavailable: LSPErrorCodes.RequestFailed,
  "unsupported-media-type": ErrorCodes.InvalidParams,
};

export function toResponseError(error: unknown): ResponseError<ErrorBody> {
  const { kind, message } = toCitewellError(error);
  return new ResponseError(codeByKind[kind], message, toErrorBody(error));
}
