import { CitewellError } from "../../errors.ts";

export interface GitResult {
  /** The exit code; null where git was ended by a signal that is not ours. */
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface GitLimits {
  /** How long git may say nothing. */
  silentMs: number;
  totalMs: number;
}

export interface GitCall {
  directory: string;
  /** All of it: nothing else is passed on. */
  environment: Readonly<Record<string, string>>;
  /** What git is run for, for the message when it takes too long: `fetch https://…`. */
  purpose: string;
  limits: GitLimits;
  signal: AbortSignal;
  /** Each piece of standard error as it comes. */
  onErrorOutput?: ((text: string) => void) | undefined;
}

/** A listing of a million files is a tenth of this; whoever sends more wants to fill the memory. */
const outputLimitBytes = 512 * 1024 * 1024;

/** Calls `end` when the caller cancels, and when git takes too long in all or says too much. Silence is not watched. */
export function watchCall({ purpose, limits, signal }: GitCall, end: (fault: Error) => void) {
  const cancel = () => end(signal.reason);
  signal.addEventListener("abort", cancel, { once: true });
  const total = setTimeout(() => end(timeout(`${purpose} was not done after`, limits.totalMs)), limits.totalMs);
  let bytes = 0;
  return {
    heard(sizeBytes: number) {
      bytes += sizeBytes;
      if (bytes > outputLimitBytes) end(new CitewellError("RepositoryFailed", `${purpose} sent more than can be read`));
    },
    stop() {
      signal.removeEventListener("abort", cancel);
      clearTimeout(total);
    },
  };
}

/** Git said nothing for `silentMs`. */
export function silenceFault({ purpose, limits }: GitCall): CitewellError {
  return timeout(`${purpose} got no answer for`, limits.silentMs);
}

/** The system could not start git: `code` is its name for why (`ENOENT`, `EACCES`, …). */
export function startFault(code: string, cause?: unknown): CitewellError {
  const [message, hint] =
    code === "ENOENT"
      ? ["git is not installed, or not in PATH", "install git 2.37 or later (https://git-scm.com)"]
      : [`git could not be started (${code})`, "see that it may be run, and that processes and open files are left"];
  return new CitewellError("ToolMissing", message, { hint, cause });
}

function timeout(what: string, limitMs: number): CitewellError {
  const message = `${what} ${Math.ceil(limitMs / 1000)} s`;
  return new CitewellError("RepositoryTimeout", message, { hint: "check the connection, then ask again" });
}
