import { spawnSync } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import npmDefaults from "npm-registry-fetch/lib/default-opts.js";
import { root } from "../prepare.mjs";

/** File patterns; a star matches any characters except a slash. */
const common = [
  "CHANGELOG.md",
  "LICENSE",
  "README.md",
  "SUPPORT.md",
  "package.json",
  "dist/THIRD-PARTY-NOTICES.txt",
  "dist/citewell.mjs",
  "dist/chunks/*.mjs",
  "dist/chunks/pages/*",
  "schema/citewell.config.schema.json",
];

const megabyte = 1024 * 1024;

/** `expected` lists all allowed files of a package. Sizes are of the uploaded file. */
const kinds = {
  npm: { expected: [...common, "schema/openapi.json"], maxBytes: 2 * megabyte },
  vsix: {
    expected: [
      ...common,
      "dist/*.cjs",
      "dist/webview*.js",
      "dist/webview.css",
      "l10n/bundle.l10n.json",
      "media/citewell.svg",
      "media/icon.png",
      "media/language/*",
      "media/walkthrough/*.svg",
      "package.nls.json",
    ],
    maxBytes: 3 * megabyte,
  },
};

/** Reads the files of an npm tarball. */
export async function readTarball(file) {
  const { list } = await import("tar");
  const files = new Map();
  list({
    file,
    sync: true,
    onReadEntry(entry) {
      const chunks = [];
      entry.on("data", (chunk) => chunks.push(chunk));
      entry.on("end", () => files.set(entry.path.replace(/^package\//, ""), Buffer.concat(chunks).toString("latin1")));
    },
  });
  return files;
}

/** Reads the files that vsce would pack. */
export async function readExtensionFiles() {
  const { listFiles, PackageManager } = await import("@vscode/vsce");
  const names = await listFiles({ cwd: root, packageManager: PackageManager.None });
  return new Map(await Promise.all(names.map(async (name) => [name, await readFile(path.join(root, name), "latin1")])));
}

/** Checks a packed file. Each check has a `claim` and, if it fails, a `fault`. */
export async function* checkPackage(file, { kind, files }) {
  const { expected, maxBytes } = kinds[kind];
  const name = path.basename(file);
  const { size } = await stat(file);
  const tooLarge = size > maxBytes ? { fault: `at most ${inMegabytes(maxBytes)} are expected` } : {};
  yield { claim: `${name} has ${files.size} files, ${inMegabytes(size)}`, ...tooLarge };
  yield { claim: `${name} has the files that are expected`, ...compareNames([...files.keys()], expected) };
  yield { claim: `${name} has no path, host or secret of this machine`, ...findTraces(files) };
}

function compareNames(names, expected) {
  const patterns = expected.map((text) => ({ text, pattern: toPattern(text) }));
  const extra = names.filter((name) => !patterns.some(({ pattern }) => pattern.test(name)));
  const missing = patterns.filter(({ pattern }) => !names.some((name) => pattern.test(name))).map(({ text }) => text);
  const faults = [
    ...(extra.length === 0 ? [] : [`not expected: ${extra.join(", ")}`]),
    ...(missing.length === 0 ? [] : [`missing: ${missing.join(", ")}`]),
  ];
  return faults.length === 0 ? {} : { fault: faults.join("; ") };
}

function toPattern(text) {
  return new RegExp(`^${text.replaceAll(/[.+]/g, "\\$&").replaceAll("*", "[^/]*")}$`);
}

/** Reports the file and the kind of leak, never its text. */
function findTraces(files) {
  const traces = [
    { what: "the checkout's path", pattern: new RegExp(escaped(root)) },
    { what: "the home directory", pattern: new RegExp(`${escaped(os.homedir())}[/\\\\]`) },
    { what: "a token", pattern: /\b(?:npm_[A-Za-z0-9]{36}|gh[pousr]_[A-Za-z0-9]{36})\b/ },
    ...ownRegistry().map((host) => ({ what: "the registry of this machine", pattern: new RegExp(escaped(host)) })),
  ];
  const found = [...files].flatMap(([name, text]) =>
    traces.filter(({ pattern }) => pattern.test(text)).map(({ what }) => `${name} has ${what}`),
  );
  return found.length === 0 ? {} : { fault: found.join(", ") };
}

/** The host of a registry other than npm's. */
function ownRegistry() {
  const shell = process.platform === "win32";
  const { stdout } = spawnSync("npm", ["config", "get", "registry"], { cwd: root, encoding: "utf8", shell });
  const [own, configured] = [npmDefaults.registry, stdout.trim()];
  const host = URL.canParse(configured) ? new URL(configured).host : new URL(own).host;
  return host === new URL(own).host ? [] : [host];
}

function escaped(text) {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function inMegabytes(bytes) {
  return `${(bytes / megabyte).toFixed(1)} MB`;
}
