// Setup for `npm start` and `npm test`. Runs before installation, so it uses no dependencies.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

export const root = path.resolve(import.meta.dirname, "..");

/** Installs if node_modules does not match the lock file, then builds dist/. Prints to standard error. */
export function prepare() {
  requireNode(20, 19);
  if (!isInstalled()) run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], "installing dependencies");
  run(process.execPath, ["esbuild.mjs"], "building");
}

/** Runs a program in the project's folder; on failure exits with its code. */
export function run(program, args, what, options = {}) {
  if (what !== undefined) process.stderr.write(`citewell: ${what}…\n`);
  // npm is a .cmd file on Windows, which needs a shell.
  const shell = process.platform === "win32" && program === "npm";
  const { status, error } = spawnSync(program, args, { cwd: root, stdio: ["inherit", 2, 2], shell, ...options });
  if (error !== undefined) process.stderr.write(`citewell: ${program} could not be started: ${error.message}\n`);
  if (status !== 0) process.exit(status ?? 1);
}

function requireNode(major, minor) {
  const [ownMajor = 0, ownMinor = 0] = process.versions.node.split(".").map(Number);
  if (ownMajor > major || (ownMajor === major && ownMinor >= minor)) return;
  process.stderr.write(`citewell: Node ${major}.${minor} or newer is needed; this is ${process.versions.node}\n`);
  process.exit(1);
}

/** npm records installed packages in node_modules/.package-lock.json; a package missing there is not installed. */
function isInstalled() {
  const installed = path.join(root, "node_modules", ".package-lock.json");
  if (!existsSync(installed)) return false;
  const versions = (file) => JSON.parse(readFileSync(file, "utf8")).packages;
  const wanted = versions(path.join(root, "package-lock.json"));
  const present = versions(installed);
  return Object.entries(wanted).every(
    ([name, { version, optional }]) => name === "" || optional === true || present[name]?.version === version,
  );
}
