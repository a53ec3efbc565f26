// The VS Code that tests run in: code-server is VS Code's own workbench, server and extension host, shown by a browser.
// Plain JavaScript, as `npm test` runs it before anything is built.
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../../..");
const versions = path.join(import.meta.dirname, "kit", "package.json");
const nodePackage = `node-${process.platform}-${process.arch}`;

/** VSCODE_TEST_KIT names one that several checkouts share. */
export const kitFolder = path.resolve(root, process.env.VSCODE_TEST_KIT ?? ".vscode-test-kit");

/** What to start. */
export const kit = {
  node: path.join(kitFolder, "node_modules", nodePackage, "bin", "node"),
  codeServer: path.join(kitFolder, "node_modules", "code-server", "out", "node", "entry.js"),
};

/** Written last, with the versions that were asked for: other versions install anew. */
const marker = "complete.json";

/** @returns {boolean} */
export function isKitComplete(folder = kitFolder) {
  const complete = path.join(folder, marker);
  return existsSync(complete) && readFileSync(complete, "utf8") === readFileSync(versions, "utf8");
}

/**
 * Installs the kit where it is not there yet: a minute, and 0.8 GB. It is made beside its place and then moved there,
 * so that an interrupted installation is never taken for a kit, and two at once do not meet.
 */
export async function installKit(folder = kitFolder) {
  if (isKitComplete(folder)) return;
  await mkdir(path.dirname(folder), { recursive: true });
  const building = await mkdtemp(`${folder}-`);
  try {
    await fillKit(building);
    if (isKitComplete(folder)) return;
    const outdated = `${building}.old`;
    if (existsSync(folder)) await rename(folder, outdated);
    await rename(building, folder);
    await rm(outdated, { recursive: true, force: true });
  } finally {
    await rm(building, { recursive: true, force: true });
  }
}

/**
 * No install script runs: code-server's own refuses every Node but 24, and those of VS Code's dependencies want
 * Kerberos headers and downloads. Two native modules are compiled afterwards, as far as that goes: @vscode/spdlog
 * writes the logs that explain a failure, and native-watchdog ends an extension host whose server has died.
 */
async function fillKit(folder) {
  const nodeHome = path.join(folder, "node_modules", nodePackage);
  const env = {
    ...process.env,
    PATH: `${path.join(nodeHome, "bin")}${path.delimiter}${process.env.PATH}`,
    // This Node's own headers, so that what is compiled fits it.
    npm_config_nodedir: nodeHome,
  };
  const npm = (cwd, ...args) => {
    const { status, stderr } = spawnSync("npm", args, {
      cwd,
      env,
      stdio: ["ignore", "ignore", "pipe"],
      encoding: "utf8",
    });
    return status === 0 ? undefined : `npm ${args.join(" ")} failed in ${cwd}:\n${stderr}`;
  };
  const install = (cwd, ...args) => {
    const failure = npm(cwd, "install", "--ignore-scripts", "--no-audit", "--no-fund", ...args);
    if (failure !== undefined) throw new Error(failure);
  };

  await copyFile(versions, path.join(folder, "package.json"));
  install(folder);
  // Code-server brings only the package.json and a lock file of these.
  const vscode = path.join(folder, "node_modules", "code-server", "lib", "vscode");
  install(vscode, "--omit=dev");
  install(path.join(vscode, "extensions"), "--omit=dev");
  const failure = npm(vscode, "rebuild", "@vscode/spdlog", "@vscode/native-watchdog");
  if (failure !== undefined) process.stderr.write(`${failure}\ncitewell: going on without VS Code's logs\n`);
  await copyFile(versions, path.join(folder, marker));
}

/** Chromium without windows: a page takes a quarter of the processor time that it takes in one with hidden windows. */
export const windowless = "chromium-headless-shell";

const browsers = [windowless, "chromium", "chromium-browser", "google-chrome", "chrome"];

/** The browser's program: what CHROMIUM names, else the first on PATH. @returns {string | undefined} */
export function findBrowser() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  return browsers.map(findOnPath).find((file) => file !== undefined);
}

/** @returns {string | undefined} */
export function findOnPath(name) {
  const folders = (process.env.PATH ?? "").split(path.delimiter).filter(Boolean);
  return folders.map((folder) => path.join(folder, name)).find(isProgram);
}

function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
