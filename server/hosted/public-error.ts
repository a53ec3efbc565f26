import { CitewellError, toCitewellError } from "../errors.ts";

/** Hides messages with paths and addresses of the service: those of unexpected errors, and of its disk. They are only logged. */
export function toPublicError(thrown: unknown): CitewellError {
  const error = toCitewellError(thrown);
  if (error.tag === "StorageFailed") {
    return new CitewellError("StorageFailed", "the service cannot write to its disk", {
      hint: "tell the operator, who finds the reason in the log",
      cause: error,
    });
  }
  if (error.tag !== "Internal") return error;
  return new CitewellError("Internal", "something unexpected went wrong", {
    hint: "the operator finds the reason in the log, by the X-Request-Id of this answer",
    cause: error.cause ?? error,
  });
}
