import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { managersFolder } from "./packages.mjs";

/** A program that installs packages; `npm test` installs the ones that do not come with Node. */
export interface PackageManager {
  name: "npm" | "pnpm" | "yarn" | "berry" | "bun";
  /** Runs it in a folder, with the given home and without settings of the machine; its output. */
  run(args: readonly string[], options: { cwd: string; home: string; env?: Record<string, string> }): Promise<string>;
}

/** Those that are there. */
export function packageManagers(): PackageManager[] {
  const modules = path.join(managersFolder, "node_modules");
  const scripts = {
    pnpm: path.join(modules, "pnpm/bin/pnpm.cjs"),
    yarn: path.join(modules, "yarn/bin/yarn.js"),
    berry: path.join(modules, "@yarnpkg/cli-dist/bin/yarn.js"),
  };
  return [
    manager("npm", ["npm"]),
    ...(["pnpm", "yarn", "berry"] as const)
      .filter((name) => existsSync(scripts[name]))
      .map((name) => manager(name, [process.execPath, scripts[name]])),
    ...(existsSync(bun(modules)) ? [manager("bun", [bun(modules)])] : []),
  ];
}

/** Bun's program is in a package of its own for each platform. */
function bun(modules: string): string {
  const platform = `bun-${process.platform === "win32" ? "windows" : process.platform}-${process.arch === "arm64" ? "aarch64" : "x64"}`;
  return path.join(modules, "@oven", platform, "bin", process.platform === "win32" ? "bun.exe" : "bun");
}

function manager(name: PackageManager["name"], [program = "", ...first]: readonly string[]): PackageManager {
  return {
    name,
    async run(args, { cwd, home, env = {} }) {
      const { stdout } = await promisify(execFile)(program, [...first, ...args], {
        cwd,
        // npm is a .cmd file on Windows, which needs a shell.
        shell: process.platform === "win32" && name === "npm",
        env: {
          PATH: process.env["PATH"],
          HOME: home,
          USERPROFILE: home,
          CI: "1",
          npm_config_cache: path.join(home, "npm-cache"),
          npm_config_globalconfig: path.join(home, "global-npmrc"),
          npm_config_audit: "false",
          npm_config_fund: "false",
          npm_config_update_notifier: "false",
          // Of yarn 1, which has one for all users of the machine where root runs it.
          ...(name === "yarn" ? { YARN_CACHE_FOLDER: path.join(home, "yarn-cache") } : {}),
          YARN_ENABLE_TELEMETRY: "0",
          YARN_ENABLE_IMMUTABLE_INSTALLS: "false",
          ...env,
        },
      });
      return stdout;
    },
  };
}
