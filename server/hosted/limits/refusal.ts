import { CitewellError } from "../../errors.ts";

/** Why a limit refused a call, beyond the error's text. */
class Refusal {
  readonly retryAfterSeconds: number | undefined;
  constructor(retryAfterSeconds: number | undefined) {
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** A limit that is reached. */
export interface ReachedLimit {
  /** The limit with its size: `5 running questions`. */
  limit: string;
  /** How many more the call wanted, and how many are left. Default: 1 and 0. */
  wanted?: number;
  left?: number;
  /** What makes more calls possible, and when. */
  hint: string;
  /** Seconds after which the call may succeed; undefined if time alone changes nothing. */
  retryAfterSeconds?: number | undefined;
}

/** The error for a limit of a project that is reached: 429 if waiting helps, else 403. */
export function limitReached({ limit, wanted = 1, left = 0, hint, retryAfterSeconds }: ReachedLimit): CitewellError {
  const tag = retryAfterSeconds === undefined ? "OperationNotAllowed" : "LimitReached";
  const fault = left === 0 ? "is reached" : `does not allow ${wanted} more`;
  return new CitewellError(tag, `this project's limit of ${limit} ${fault}; ${left} are left`, {
    hint,
    cause: new Refusal(retryAfterSeconds),
  });
}

/** Whether a limit refused the call. It is then answered with an HTTP status instead of a result. */
export function isRefusal(error: CitewellError): boolean {
  return error.cause instanceof Refusal;
}

/** Seconds after which a refused call may succeed. */
export function retryAfterOf(error: CitewellError): number | undefined {
  return error.cause instanceof Refusal ? error.cause.retryAfterSeconds : undefined;
}
