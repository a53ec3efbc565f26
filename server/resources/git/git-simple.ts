import { getSystemErrorName } from "node:util";
import { GitPluginError, simpleGit, type SimpleGitOptions } from "simple-git";
import { type GitCall, type GitResult, silenceFault, startFault, watchCall } from "./git-call.ts";

/**
 * Runs git through simple-git, for commands that reach no host: it ends only the first process, and these commands
 * start no other (docs/decisions/0004-git-processes.md).
 */
export async function runSimpleGit(args: readonly string[], call: GitCall): Promise<GitResult> {
  // Reading a partial clone fetches missing objects; without a protocol that fails and starts no process.
  const environment = { ...call.environment, GIT_ALLOW_PROTOCOL: "none" };
  const ending = new AbortController();
  const ended: { code: number | null; stderr: readonly Buffer[] } = { code: null, stderr: [] };
  const git = simpleGit({
    baseDir: call.directory,
    abort: ending.signal,
    timeout: { block: call.limits.silentMs },
    // By default, output that is not read within 50 ms after git's end is lost.
    completion: { onClose: true, onExit: false },
    allowEnvironment: Object.keys(environment),
    unsafe,
    // Called when git has ended: exit codes are results here, and only failures of simple-git itself are errors.
    errors(error, { exitCode, stdErr }) {
      ended.code = exitCode;
      ended.stderr = stdErr;
      return error instanceof GitPluginError ? error : undefined;
    },
  }).env(environment);
  const watch = watchCall(call, (fault) => ending.abort(fault));
  git.outputHandler((_command, stdout, stderr) => {
    stdout.on("data", (chunk: Buffer) => {
      watch.received(chunk.length);
      call.onOutput?.(chunk);
    });
    stderr.on("data", (chunk: Buffer) => {
      watch.received(chunk.length);
      call.onErrorOutput?.(chunk.toString());
    });
  });
  try {
    const stdout = await git.raw([...args]);
    ending.signal.throwIfAborted();
    // A system error instead of an exit code: no process was started.
    if (ended.code !== null && ended.code < 0) throw startFault(getSystemErrorName(ended.code));
    return {
      code: ended.code,
      stdout: call.onOutput === undefined ? stdout : "",
      stderr: Buffer.concat(ended.stderr).toString(),
    };
  } catch (error) {
    ending.signal.throwIfAborted();
    throw error instanceof GitPluginError && error.plugin === "timeout" ? silenceFault(call) : error;
  } finally {
    watch.stop();
  }
}

/**
 * simple-git refuses options that could run programs. Here the arguments are constants, and git-environment.ts makes
 * the environment; these options are in it for the following reasons:
 */
const unsafe = {
  // GIT_CONFIG_GLOBAL: no file, or the user's own to read their settings.
  allowUnsafeConfigPaths: true,
  // GIT_CONFIG_COUNT: settings are passed as variables, which other users of the computer cannot read.
  allowUnsafeConfigEnvCount: true,
  // core.hooksPath: no folder, so that no hook runs.
  allowUnsafeHooksPath: true,
  // `init --template=`: no template, so that none brings hooks.
  allowUnsafeTemplateDir: true,
  // core.fsmonitor: false, so that the repository names no program.
  allowUnsafeFsMonitor: true,
  // credential.helper: read with the user's settings; none of these commands runs it.
  allowUnsafeCredentialHelper: true,
  // Matched anywhere in a setting's name, such as in the host of `http.https://pager.example/.proxy`.
  allowUnsafeAlias: true,
  allowUnsafePager: true,
} satisfies SimpleGitOptions["unsafe"];
