import { CitewellError, messageOf } from "../../server/errors.ts";

/** What one check found. `fix` is the next thing to do; owed unless all is well. */
export interface Finding {
  check: string;
  state: "ok" | "warn" | "fail";
  message: string;
  fix?: string;
}

/** A check that passed. */
export function ok(check: string, message: string): Finding {
  return { check, state: "ok", message };
}

/** A check that found a problem which does not stop anything; `fix` is what to do. */
export function warn(check: string, message: string, fix: string): Finding {
  return { check, state: "warn", message, fix };
}

/** A check that failed; `fix` is what to do. */
export function fail(check: string, message: string, fix: string): Finding {
  return { check, state: "fail", message, fix };
}

/** An error's own words, with its hint as the fix. */
export function fromError(check: string, error: unknown, state: "warn" | "fail", fix: string): Finding {
  const hint = error instanceof CitewellError ? error.hint : undefined;
  return { check, state, message: messageOf(error), fix: hint ?? fix };
}
