import { getSystemErrorName } from "node:util";
import { GitPluginError, simpleGit, type SimpleGitOptions } from "simple-git";
import { type GitCall, type GitResult, silenceFault, startFault, watchCall } from "./git-call.ts";

/**
 * Git through simple-git, for commands that reach no host: it ends the first process alone, and these start no other
 * (docs/decisions/0004-git-processes.md).
 */
export async function runSimpleGit(args: readonly string[], call: GitCall): Promise<GitResult> {
  // A partial clone fetches what it lacks whenever it is read; without a protocol it fails, and starts nothing.
  const environment = { ...call.environment, GIT_ALLOW_PROTOCOL: "none" };
  const ending = new AbortController();
  const ended: { code: number | null; stderr: readonly Buffer[] } = { code: null, stderr: [] };
  const git = simpleGit({
    baseDir: call.directory,
    abort: ending.signal,
    timeout: { block: call.limits.silentMs },
    // By default output that is not read 50 ms after git's end is lost.
    completion: { onClose: true, onExit: false },
    allowEnvironment: Object.keys(environment),
    unsafe,
    // Called when git has ended: its exit code is a result here, and only what simple-git itself did is an error.
    errors(error, { exitCode, stdErr }) {
      ended.code = exitCode;
      ended.stderr = stdErr;
      return error instanceof GitPluginError ? error : undefined;
    },
  }).env(environment);
  const watch = watchCall(call, (fault) => ending.abort(fault));
  git.outputHandler((_command, stdout, stderr) => {
    stdout.on("data", (chunk: Buffer) => watch.heard(chunk.length));
    stderr.on("data", (chunk: Buffer) => {
      watch.heard(chunk.length);
      call.onErrorOutput?.(chunk.toString());
    });
  });
  try {
    const stdout = await git.raw([...args]);
    ending.signal.throwIfAborted();
    // A system error in place of an exit code: there was no process.
    if (ended.code !== null && ended.code < 0) throw startFault(getSystemErrorName(ended.code));
    return { code: ended.code, stdout, stderr: Buffer.concat(ended.stderr).toString() };
  } catch (error) {
    ending.signal.throwIfAborted();
    throw error instanceof GitPluginError && error.plugin === "timeout" ? silenceFault(call) : error;
  } finally {
    watch.stop();
  }
}

/**
 * simple-git refuses what a stranger could run programs with. Here arguments are ours, and the environment is made by
 * git-environment.ts; what it holds of the kind, and why:
 */
const unsafe = {
  // GIT_CONFIG_GLOBAL: no file at all, or the user's own while their settings are read.
  allowUnsafeConfigPaths: true,
  // GIT_CONFIG_COUNT: settings travel as variables, out of sight of the computer's other users.
  allowUnsafeConfigEnvCount: true,
  // core.hooksPath: no folder, so that no hook runs.
  allowUnsafeHooksPath: true,
  // `init --template=`: no template, so that none brings hooks.
  allowUnsafeTemplateDir: true,
  // credential.helper: read among the user's settings, run by none of these commands.
  allowUnsafeCredentialHelper: true,
  // Looked for anywhere in a setting's name, so also in the host of `http.https://pager.example/.proxy`.
  allowUnsafeAlias: true,
  allowUnsafePager: true,
} satisfies SimpleGitOptions["unsafe"];
