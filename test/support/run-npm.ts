import { execFile } from "node:child_process";
import { promisify } from "node:util";

/**
 * What the real npm prints, run in `cwd` as a user with that home and nothing else in the environment, so that the
 * configuration of the machine that runs the tests does not count.
 */
export async function runNpm(
  args: readonly string[],
  { cwd, home = cwd, env = {} }: { cwd: string; home?: string; env?: Record<string, string> },
): Promise<string> {
  const run = promisify(execFile);
  const { stdout } = await run("npm", [...args], {
    cwd,
    // On Windows npm is a script of the shell.
    shell: process.platform === "win32",
    env: {
      PATH: process.env["PATH"],
      HOME: home,
      npm_config_cache: `${home}/.npm-cache`,
      npm_config_globalconfig: `${home}/global-npmrc`,
      npm_config_update_notifier: "false",
      npm_config_audit: "false",
      npm_config_fund: "false",
      ...env,
    },
  });
  return stdout;
}
