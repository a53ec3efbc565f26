import { createContext, Script } from "node:vm";
import { once } from "./once.ts";

/**
 * Runs `work` for at most `timeoutMs`; returns whether it finished. For expressions from outside: only the time limit of a
 * `vm` context interrupts a regular expression, which may backtrack for hours on one line. It may stop `work` anywhere, so
 * that `work` must not leave shared state half done. If it hardly ran because the machine was busy, it is called again.
 */
export type RunWithin = (work: () => void, options: { timeoutMs: number }) => boolean;

export function createTimeLimit(): RunWithin {
  const scope: { work: () => void } = { work: () => {} };
  // A context takes a millisecond to make, and not every search needs one.
  const context = once(() => createContext(scope));
  const script = once(() => new Script("work()"));
  return (work, { timeoutMs }) => {
    scope.work = work;
    const before = process.cpuUsage();
    const hasHardlyRun = () => {
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000 < timeoutMs / 2;
    };
    for (let attempt = 1; ; attempt++) {
      try {
        script().runInContext(context(), { timeout: timeoutMs });
        return true;
      } catch (error) {
        // An expression that has more to try than fits its stack throws, and says no more than one without an end.
        if (error instanceof RangeError) return false;
        if (!isTimeout(error)) throw error;
        if (attempt === attempts || !hasHardlyRun()) return false;
      }
    }
  };
}

/** The most calls of `work`: the first, and three more if it hardly ran. */
const attempts = 4;

/** The error is of the context, so no instance of our `Error`. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === "object" && error !== null && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"
  );
}
