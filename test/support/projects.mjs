// The Vitest projects, for vitest.config.ts and for scripts/test.mjs, which installs what the chosen ones need.
import { readdirSync } from "node:fs";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../..");

/** A file belongs to the first project that matches it. They run in this order, but `editor` after all others. */
const patterns = {
  /** What needs a VS Code or the packaged extension. */
  editor: /^test\/extension\/(?:ui\/|(?:agent-host|host|package)\.test\.ts$)/,
  /** The chat's page and the hosted service's pages in a browser. */
  browser: /^test\/(?:extension\/webview\/|server\/hosted\/pages\/[\w-]*browser\.test\.ts$)/,
  /** The hosted service: databases. */
  hosted: /^test\/(?:server\/hosted\/|cli\/hosted)/,
  /** The command line, terminals, and journeys of users and other programs. */
  cli: /^test\/(?:cli|journeys)\//,
  core: /^test\//,
};

/** Files that need more than Node and the repository, by what they need; scripts/test.mjs installs it. */
export const needs = {
  /** A multiplexer; without one they run in a bare terminal. */
  multiplexers: /^test\/cli\/tui\//,
  /** Other makers' agents, with the settings that we print for them. */
  agents: /^test\/journeys\/agents\.test\.ts$/,
  /** Other versions of Node. */
  nodes: /^test\/journeys\/node-versions\.test\.ts$/,
  /** Projects that pnpm, yarn and bun install. */
  packageManagers: /^test\/server\/resources\/packages\/npm\/installed-trees\.test\.ts$/,
};

/** Suites of test/extension/host/, which run inside a VS Code, and the projects that they open. */
const inEditor = /^test\/extension\/(?:agent-host|host)\//;

export const projects = Object.keys(patterns);

/** Every test file, with the project that it belongs to. */
export function testFiles() {
  return readdirSync(path.join(root, "test"), { recursive: true, encoding: "utf8" })
    .map((file) => `test/${file.split(path.sep).join("/")}`)
    .filter((file) => file.endsWith(".test.ts") && !inEditor.test(file))
    .map((file) => ({ file, project: projects.find((project) => patterns[project].test(file)) }));
}
