import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { CitewellError, codeOf } from "../errors.ts";

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

export interface GitRunner {
  /**
   * Runs git to its end, whatever its exit code. Rejects with the signal's reason once no process of it is left.
   * @throws ToolMissing, RepositoryTimeout, RepositoryFailed
   */
  run(args: readonly string[], options: GitCall): Promise<GitResult>;
}

/** A listing of a million files is a tenth of this; whoever sends more wants to fill the memory. */
const outputLimitBytes = 512 * 1024 * 1024;
/** How long ended processes may take to clean up before they are ended for good. */
const graceMs = 2000;

/**
 * Git as a group of processes: `git fetch` starts `git-remote-https`, which outlives a git that is ended alone, and
 * waits on for a host that does not answer. So the group is ended as one, and when this process exits, too.
 */
export function createGitRunner(): GitRunner {
  const running = new Set<ChildProcess>();
  const endAll = () => {
    for (const child of running) endGroup(child, "SIGKILL");
  };
  return {
    async run(args, options) {
      options.signal.throwIfAborted();
      const child = spawn("git", args, {
        cwd: options.directory,
        env: options.environment,
        stdio: ["ignore", "pipe", "pipe"],
        detached: isPosix,
        windowsHide: true,
      });
      if (running.size === 0) process.once("exit", endAll);
      running.add(child);
      let fault: Error | undefined;
      const end = (cause: Error) => {
        fault ??= cause;
        endGroup(child, "SIGTERM");
        setTimeout(() => endGroup(child, "SIGKILL"), graceMs).unref();
      };
      const watch = startWatch(options, end);
      const stdout = gather(child.stdout, (chunk) => watch.heard(chunk));
      const stderr = gather(child.stderr, (chunk) => {
        watch.heard(chunk);
        options.onErrorOutput?.(chunk.toString());
      });
      try {
        const [code] = await once(child, "close");
        if (fault !== undefined) throw fault;
        return { code: typeof code === "number" ? code : null, stdout: stdout(), stderr: stderr() };
      } catch (error) {
        if (codeOf(error) !== "ENOENT") throw error;
        throw new CitewellError("ToolMissing", "git is not installed, or not in PATH", {
          hint: "install git 2.37 or later (https://git-scm.com)",
          cause: error,
        });
      } finally {
        watch.stop();
        running.delete(child);
        if (running.size === 0) process.off("exit", endAll);
      }
    },
  };
}

const isPosix = process.platform !== "win32";

function gather(stream: Readable, heard: (chunk: Buffer) => void): () => string {
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    heard(chunk);
  });
  return () => Buffer.concat(chunks).toString();
}

/** Calls `end` when the caller cancels, and when git is silent, slow or says too much. */
function startWatch({ purpose, limits, signal }: GitCall, end: (cause: Error) => void) {
  const cancel = () => end(signal.reason);
  signal.addEventListener("abort", cancel, { once: true });
  const startTimer = (limitMs: number, what: string) =>
    setTimeout(() => {
      const message = `${purpose} ${what} ${Math.ceil(limitMs / 1000)} s`;
      end(new CitewellError("RepositoryTimeout", message, { hint: "check the connection, then ask again" }));
    }, limitMs);
  const total = startTimer(limits.totalMs, "was not done after");
  const silence = startTimer(limits.silentMs, "got no answer for");
  let bytes = 0;
  return {
    heard(chunk: Buffer) {
      silence.refresh();
      bytes += chunk.length;
      if (bytes > outputLimitBytes) end(new CitewellError("RepositoryFailed", `${purpose} sent more than can be read`));
    },
    stop() {
      signal.removeEventListener("abort", cancel);
      clearTimeout(total);
      clearTimeout(silence);
    },
  };
}

function endGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  if (!isPosix) spawn("taskkill", ["/pid", String(child.pid), "/T", "/F"], { stdio: "ignore" }).on("error", () => {});
  else {
    try {
      process.kill(-child.pid, signal);
    } catch {
      // Nobody is left in the group.
    }
  }
}
