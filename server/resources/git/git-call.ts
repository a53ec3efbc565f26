import { CitewellError } from "../../errors.ts";

/** The result of a git process that ran to its end. */
export interface GitResult {
  /** The exit code; null if git was ended by a signal from elsewhere. */
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Time limits in milliseconds. */
export interface GitLimits {
  /** How long git may be without output. */
  silentMs: number;
  totalMs: number;
}

/** One run of git. */
export interface GitCall {
  directory: string;
  /** The whole environment: nothing else is passed on. */
  environment: Readonly<Record<string, string>>;
  /** The purpose, for the message of a timeout: `fetch https://…`. */
  purpose: string;
  limits: GitLimits;
  signal: AbortSignal;
  /** Standard input, of the commands that run in a process group. */
  input?: string | undefined;
  /** Called with each chunk of standard output, which is then not kept: `stdout` of the result is empty. */
  onOutput?: ((chunk: Uint8Array) => void) | undefined;
  /** Called with each chunk of standard error. */
  onErrorOutput?: ((text: string) => void) | undefined;
}

/** The limit in bytes: ten times the listing of a million files. More is an attempt to fill the memory. */
const outputLimitBytes = 512 * 1024 * 1024;

/** Calls `end` on cancellation, on timeout, and if there is too much output. Silence is not limited here. */
export function watchCall({ purpose, limits, signal }: GitCall, end: (fault: Error) => void) {
  const cancel = () => end(signal.reason);
  signal.addEventListener("abort", cancel, { once: true });
  const total = setTimeout(() => end(timeout(`${purpose} timed out after`, limits.totalMs)), limits.totalMs);
  let bytes = 0;
  return {
    received(sizeBytes: number) {
      bytes += sizeBytes;
      if (bytes > outputLimitBytes) end(new CitewellError("RepositoryFailed", `${purpose} sent more than can be read`));
    },
    stop() {
      signal.removeEventListener("abort", cancel);
      clearTimeout(total);
    },
  };
}

/** Git had no output for `silentMs`. */
export function silenceFault({ purpose, limits }: GitCall): CitewellError {
  return timeout(`${purpose} got no answer for`, limits.silentMs);
}

/** Git could not be started: `code` is the system's error code (`ENOENT`, `EACCES`, …). */
export function startFault(code: string, cause?: unknown): CitewellError {
  const [message, hint] =
    code === "ENOENT"
      ? ["git is not installed, or not in PATH", "install git 2.37 or later (https://git-scm.com)"]
      : [`git could not be started (${code})`, "see that it may be run, and that processes and open files are left"];
  return new CitewellError("ToolMissing", message, { hint, cause });
}

function timeout(what: string, limitMs: number): CitewellError {
  const message = `${what} ${Math.ceil(limitMs / 1000)} s`;
  return new CitewellError("RepositoryTimeout", message, { hint: "check the connection, then try again" });
}
