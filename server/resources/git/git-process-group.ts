import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { codeOf } from "../../errors.ts";
import { type GitCall, type GitResult, silenceFault, startFault, watchCall } from "./git-call.ts";

/** Time for terminated processes to clean up before they are killed, in milliseconds. */
const graceMs = 2000;

/**
 * Runs git as a process group: `git fetch` starts `git-remote-https`, which would survive git and keep waiting for a
 * host that does not answer. So the whole group is ended, also when this process exits.
 */
export function createProcessGroups() {
  const running = new Set<ChildProcess>();
  const endAll = () => {
    for (const child of running) endGroup(child, "SIGKILL");
  };
  return {
    async run(args: readonly string[], call: GitCall): Promise<GitResult> {
      const child: ChildProcess = spawn("git", args, {
        cwd: call.directory,
        env: call.environment,
        stdio: [call.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
        detached: isPosix,
        windowsHide: true,
      });
      // What a git that was killed has started goes on, and keeps its output open.
      child.once("exit", (_code, signal) => void (signal !== null && endGroup(child, "SIGKILL")));
      if (running.size === 0) process.once("exit", endAll);
      running.add(child);
      let fault: Error | undefined;
      const end = (cause: Error) => {
        if (fault !== undefined) return;
        fault = cause;
        endGroup(child, "SIGTERM");
        setTimeout(() => endGroup(child, "SIGKILL"), graceMs).unref();
      };
      // Git may end before it has read all of it; its exit code says why.
      child.stdin?.on("error", () => {}).end(call.input);
      const watch = watchCall(call, end);
      const silence = setTimeout(() => end(silenceFault(call)), call.limits.silentMs);
      const received = (chunk: Buffer) => {
        silence.refresh();
        watch.received(chunk.length);
      };
      const output: Buffer[] = [];
      const errors: Buffer[] = [];
      const { onOutput = (chunk: Buffer) => void output.push(chunk), onErrorOutput } = call;
      // Without free file descriptors there is no stream, and the child emits an error.
      child.stdout?.on("data", (chunk: Buffer) => {
        received(chunk);
        onOutput(chunk);
      });
      child.stderr?.on("data", (chunk: Buffer) => {
        received(chunk);
        errors.push(chunk);
        onErrorOutput?.(chunk.toString());
      });
      try {
        const [code] = await once(child, "close");
        if (fault !== undefined) throw fault;
        return { code: typeof code === "number" ? code : null, stdout: textOf(output), stderr: textOf(errors) };
      } catch (error) {
        const code = codeOf(error);
        throw error === fault || code === undefined ? error : startFault(code, error);
      } finally {
        watch.stop();
        clearTimeout(silence);
        running.delete(child);
        if (running.size === 0) process.off("exit", endAll);
      }
    },
  };
}

const isPosix = process.platform !== "win32";

function textOf(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString();
}

function endGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  if (!isPosix) spawn("taskkill", ["/pid", String(child.pid), "/T", "/F"], { stdio: "ignore" }).on("error", () => {});
  else {
    try {
      process.kill(-child.pid, signal);
    } catch {
      // The group has no process left.
    }
  }
}
