import { execFile } from "node:child_process";
import { promisify } from "node:util";

/**
 * Runs the real npm in `cwd` and returns its output. The environment has only the given home, so that the machine's
 * configuration is ignored.
 */
export async function runNpm(
  args: readonly string[],
  { cwd, home = cwd, env = {} }: { cwd: string; home?: string; env?: Record<string, string> },
): Promise<string> {
  const run = promisify(execFile);
  const { stdout } = await run("npm", [...args], {
    cwd,
    // npm is a .cmd file on Windows, which needs a shell.
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
