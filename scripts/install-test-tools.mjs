import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { agentsFolder, testedAgents } from "../test/support/agents/packages.mjs";
import { findBrowser, findOnPath, installKit, isKitComplete, kitFolder } from "../test/support/editor/kit.mjs";
import { run } from "./prepare.mjs";

/** Debian packages for editor tests; the last three only to install the kit. */
const tools = [
  { name: "chromium", find: findBrowser, forKit: false },
  { name: "g++", find: () => findOnPath("g++") ?? findOnPath("c++"), forKit: true },
  { name: "make", find: () => findOnPath("make"), forKit: true },
  { name: "python3", find: () => findOnPath("python3"), forKit: true },
];

/** Installs a browser and VS Code. Missing system packages are installed on Debian as root, and listed elsewhere. */
export async function installTestTools() {
  const missing = missingTools();
  if (missing.length > 0 && canInstall()) installPackages(missing);
  const left = missingTools();
  if (left.length > 0) stop(`the tests of the editor need ${left.join(", ")}`, `apt-get install ${left.join(" ")}`);
  if (isKitComplete()) return;
  if (process.platform !== "linux") stop("the tests of the editor run on Linux", "npm test -- test/server test/cli");
  process.stderr.write(`citewell: installing the VS Code that tests run in, into ${kitFolder} (once; 0.8 GB)…\n`);
  await installKit();
}

/** Debian packages without which some tests cover less, so a failed installation is no error. */
const optionalTools = {
  postgresql: { isThere: hasPostgres, without: "the hosted tests run on PGlite only" },
  tmux: { isThere: () => findOnPath("tmux") !== undefined, without: "the terminal is not tested inside it" },
  screen: { isThere: () => findOnPath("screen") !== undefined, without: "the terminal is not tested inside it" },
};

/** @param {(keyof typeof optionalTools)[]} names */
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
  const missing = Object.entries(testedAgents).filter(([id, name]) => !isAgentInstalled(id, name));
  for (const [id, name] of missing) {
    const folder = path.join(agentsFolder, id);
    process.stderr.write(`citewell: installing ${name} into ${folder} (about 100 MB)…\n`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "package.json"), JSON.stringify({ private: true }));
    spawnSync("npm", ["install", ...quietInstall, name], {
      cwd: folder,
      stdio: ["ignore", 2, 2],
      shell: process.platform === "win32",
    });
    if (isAgentInstalled(id, name)) continue;
    process.stderr.write(`citewell: ${name} is not installed: the settings for it are not tested in it\n`);
  }
}

// Their optional packages are native: terminals, key stores, sound.
const quietInstall = ["--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];

/** @param {string} name with its version */
function isAgentInstalled(id, name) {
  const manifest = path.join(agentsFolder, id, "package.json");
  if (!existsSync(manifest)) return false;
  const { dependencies = {} } = JSON.parse(readFileSync(manifest, "utf8"));
  return Object.entries(dependencies).some(([own, range]) => `${own}@${range.replace(/^\^/, "")}` === name);
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

function missingTools() {
  const needed = tools.filter(({ forKit }) => !forKit || !isKitComplete());
  return needed.filter(({ find }) => find() === undefined).map(({ name }) => name);
}

function canInstall() {
  return existsSync("/etc/debian_version") && process.getuid?.() === 0 && findOnPath("apt-get") !== undefined;
}

function stop(reason, command) {
  process.stderr.write(`citewell: ${reason}: ${command}\n`);
  process.exit(1);
}
