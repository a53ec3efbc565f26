import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { agentsFolder, testedAgents } from "../test/support/agents/packages.mjs";
import { nodePlace } from "../test/support/nodes/packages.mjs";
import { managersFolder, testedManagers } from "../test/support/package-managers/packages.mjs";
import {
  findBrowser,
  findOnPath,
  installKit,
  isKitComplete,
  kitFolder,
  windowless,
} from "../test/support/editor/kit.mjs";
import { run } from "./prepare.mjs";

/** Debian packages that compile the kit. */
const compilers = [
  { name: "g++", find: () => findOnPath("g++") ?? findOnPath("c++") },
  { name: "make", find: () => findOnPath("make") },
  { name: "python3", find: () => findOnPath("python3") },
];

/** Installs a browser and VS Code. Missing system packages are installed on Debian as root, and listed elsewhere. */
export async function installTestTools() {
  installBrowser();
  if (isKitComplete()) return;
  if (process.platform !== "linux")
    stop("the tests of the editor run on Linux", "npm test -- --project core --project cli --project hosted");
  installDebianPackages(compilers);
  process.stderr.write(`citewell: installing the VS Code that tests run in, into ${kitFolder} (once; 0.8 GB)…\n`);
  await installKit();
}

/** Installs a browser alone, for the tests of pages: one without windows, or else any. */
export function installBrowser() {
  if (!process.env.CHROMIUM) installOptionalTools([windowless]);
  installDebianPackages([{ name: "chromium", find: findBrowser }]);
}

/** Debian packages without which some tests cover less, so a failed installation is no error. */
const optionalTools = {
  [windowless]: {
    isThere: () => findOnPath(windowless) !== undefined,
    without: "pages take longer in another Chromium",
  },
  postgresql: { isThere: hasPostgres, without: "the hosted tests run on PGlite only" },
  tmux: { isThere: () => findOnPath("tmux") !== undefined, without: "the terminal is not tested inside it" },
  screen: { isThere: () => findOnPath("screen") !== undefined, without: "the terminal is not tested inside it" },
};

/** @param {string[]} names */
export function installOptionalTools(names) {
  const missing = names.filter((name) => !optionalTools[name].isThere());
  if (missing.length > 0 && canInstall()) {
    process.stderr.write(`citewell: installing ${missing.join(", ")}…\n`);
    for (const args of aptCalls(missing)) spawnSync("apt-get", args, { stdio: ["ignore", 2, 2], env: quietApt });
  }
  for (const name of missing.filter((name) => !optionalTools[name].isThere())) {
    process.stderr.write(`citewell: ${name} is not installed: ${optionalTools[name].without}\n`);
  }
}

/** Installs coding agents from npm, each into its own folder, to test the settings that we print for them. */
export function installAgents() {
  for (const [id, name] of Object.entries(testedAgents)) {
    installFromNpm(path.join(agentsFolder, id), [name], "the settings for it are not tested in it");
  }
}

/** Installs package managers from npm, to test what is read of the projects that they install. */
export function installManagers() {
  installFromNpm(managersFolder, Object.values(testedManagers), "what they install is not tested");
}

/**
 * Installs a version of Node from npm. Returns its program, or undefined if it cannot be installed.
 * @param {string} version an npm range, such as `24`
 */
export function installNode(version) {
  const { folder, packageName, file } = nodePlace(version);
  if (!existsSync(file)) {
    process.stderr.write(`citewell: installing ${packageName} into ${folder} (once; about 200 MB)…\n`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "package.json"), JSON.stringify({ private: true }));
    const isWindows = process.platform === "win32";
    spawnSync("npm", ["install", ...quietInstall, isWindows ? `"${packageName}"` : packageName], {
      cwd: folder,
      stdio: ["ignore", 2, 2],
      shell: isWindows,
    });
  }
  return existsSync(file) ? file : undefined;
}

/** @param {readonly string[]} versions npm ranges */
export function installNodes(versions) {
  for (const version of versions) {
    if (installNode(version) === undefined)
      process.stderr.write(`citewell: Node ${version} could not be installed: the program is not tested on it\n`);
  }
}

// The optional packages of agents are native: terminals, key stores, sound. Bun is one itself.
const quietInstall = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];

/** @param {string[]} packages with their versions @param {string} without what is lost if they cannot be installed */
function installFromNpm(folder, packages, without) {
  if (areInstalled(folder, packages)) return;
  const names = packages.join(", ");
  process.stderr.write(`citewell: installing ${names} into ${folder} (about 100 MB)…\n`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "package.json"), JSON.stringify({ private: true }));
  const omit = folder === managersFolder ? [] : ["--omit=optional"];
  spawnSync("npm", ["install", "--save-exact", ...quietInstall, ...omit, ...packages], {
    cwd: folder,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  });
  if (!areInstalled(folder, packages)) process.stderr.write(`citewell: ${names} could not be installed: ${without}\n`);
}

/** @param {string[]} packages with their versions */
function areInstalled(folder, packages) {
  const manifest = path.join(folder, "package.json");
  if (!existsSync(manifest)) return false;
  const { dependencies = {} } = JSON.parse(readFileSync(manifest, "utf8"));
  const installed = new Set(Object.entries(dependencies).map(([name, range]) => `${name}@${range.replace(/^\^/, "")}`));
  return packages.every((name) => installed.has(name));
}

/** Debian keeps its programs out of PATH. */
function hasPostgres() {
  return findOnPath("initdb") !== undefined || existsSync("/usr/lib/postgresql");
}

const quietApt = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };

function installPackages(names) {
  const [update, install] = aptCalls(names);
  run("apt-get", update, `installing ${names.join(", ")}`, { env: quietApt });
  run("apt-get", install, undefined, { env: quietApt });
}

function aptCalls(names) {
  return [
    ["update", "-q"],
    ["install", "-q", "-y", "--no-install-recommends", ...names],
  ];
}

function installDebianPackages(needed) {
  const missing = () => needed.filter(({ find }) => find() === undefined).map(({ name }) => name);
  if (missing().length > 0 && canInstall()) installPackages(missing());
  const left = missing();
  if (left.length > 0) stop(`these tests need ${left.join(", ")}`, `apt-get install ${left.join(" ")}`);
}

function canInstall() {
  return existsSync("/etc/debian_version") && process.getuid?.() === 0 && findOnPath("apt-get") !== undefined;
}

function stop(reason, command) {
  process.stderr.write(`citewell: ${reason}: ${command}\n`);
  process.exit(1);
}
