// Setup for `npm start` and `npm test`. Runs before installation, so it uses no dependencies.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

export const root = path.resolve(import.meta.dirname, "..");

/** Installs if node_modules does not match the lock file, then builds dist/. Prints to standard error. */
export function prepare() {
  requireNode(20, 19);
  if (!isInstalled()) install();
  run(process.execPath, ["esbuild.mjs"], "building");
}

/**
 * What npm warns about a package that asks for a newer Node, in one line; docs/decisions/0031-node.md says why it is used
 * all the same. Undefined without such a warning.
 * @param {string} warnings npm's standard error
 */
export function engineNote(warnings) {
  const packages = new Set([...warnings.matchAll(/EBADENGINE\s+package: '([^']+)'/g)].map(([, name]) => name));
  if (packages.size === 0) return undefined;
  const [what, ask] = packages.size === 1 ? ["package", "asks"] : ["packages", "ask"];
  return `${packages.size} ${what} ${ask} for a newer Node than ${process.versions.node}; Citewell is tested on it (docs/decisions/0031-node.md)`;
}

/** Deprecation notices of npm are left out: they are for those who update packages. */
function install() {
  process.stderr.write("citewell: installing dependencies…\n");
  // npm is a .cmd file on Windows, which needs a shell.
  const shell = process.platform === "win32";
  const { status, stderr, error } = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=warn"], {
    cwd: root,
    encoding: "utf8",
    shell,
    maxBuffer: 2 ** 26,
    stdio: ["inherit", 2, "pipe"],
  });
  if (error !== undefined) process.stderr.write(`citewell: npm could not be started: ${error.message}\n`);
  if (status !== 0) {
    process.stderr.write(stderr ?? "");
    process.exit(status ?? 1);
  }
  const note = engineNote(stderr);
  if (note !== undefined) process.stderr.write(`citewell: ${note}\n`);
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
