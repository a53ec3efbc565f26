import type { ErrorBody } from "./protocol/error.ts";
import { errorKinds, type ErrorKind, type ErrorTag } from "./protocol/error-tags.ts";

/** The one error class: a sentence for people, a stable tag for programs, and a hint where the user can act. */
export class CitewellError extends Error {
  readonly tag: ErrorTag;
  readonly hint: string | undefined;

  constructor(tag: ErrorTag, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "CitewellError";
    this.tag = tag;
    this.hint = options.hint;
  }

  get kind(): ErrorKind {
    return errorKinds[this.tag];
  }
}

/** Converts any thrown value to a CitewellError: an abort to `Cancelled`, any other foreign error to `Internal`. */
export function toCitewellError(error: unknown): CitewellError {
  if (error instanceof CitewellError) return error;
  if (isAbort(error)) return new CitewellError("Cancelled", "the question was cancelled", { cause: error });
  return new CitewellError("Internal", `something unexpected went wrong: ${messageOf(error)}`, {
    cause: error,
    hint: "the details are in the server's log, or at the terminal with --verbose",
  });
}

/** Converts any thrown value to the error format of every wire. */
export function toErrorBody(error: unknown): ErrorBody {
  const { message, tag, hint } = toCitewellError(error);
  return hint === undefined ? { error: message, tag } : { error: message, tag, hint };
}

/** The inverse of `toErrorBody`. An unknown tag comes from a newer version and becomes `Internal`. */
export function fromErrorBody({ error, tag, hint }: ErrorBody): CitewellError {
  return new CitewellError(isTag(tag) ? tag : "Internal", error, hint === undefined ? {} : { hint });
}

function isTag(tag: string): tag is ErrorTag {
  return Object.hasOwn(errorKinds, tag);
}

/** The message of an error, or any other value as a string. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The error code of a failed system call (`ENOENT`, `ENOSPC`, …), if any. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Why a connection failed, without the addresses that the system's message has: the error may be shown to strangers. */
export function connectionFaultOf(error: unknown): string {
  const code = codeOf(error);
  if (code === "UND_ERR_CONNECT_TIMEOUT") return "it did not answer in time";
  if (error instanceof Error && "syscall" in error) return `${String(error.syscall)} ${code}`;
  return messageOf(error) || (code ?? "no connection");
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === "AbortError" || codeOf(error) === "ABORT_ERR");
}
