import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";

const root = path.resolve(import.meta.dirname, "..");

/** Left to right: a module imports from its own column or from earlier ones (docs/development/architecture.md). */
const columns = [
  ["server/protocol", "server/lib"],
  ["server/errors.ts", "server/caller.ts"],
  ["server/locked-file.ts"],
  ["server/source"],
  ["server/config", "server/resources", "server/providers", "server/threads"],
  ["server/retrieval", "server/citations"],
  ["server/agent", "server/upgrade"],
  ["server/compare"],
  ["server/operations"],
  ["server/app.ts", "server/node.ts"],
  ["server/tenant.ts"],
  ["server/local-app.ts"],
  ["server/transports"],
  ["server/hosted/store", "server/hosted/public-error.ts"],
  ["server/hosted/metrics", "server/hosted/mail", "server/hosted/git-hosts"],
  ["server/hosted/limits"],
  ["server/hosted/tenants"],
  ["server/hosted/jobs", "server/hosted/snapshots"],
  ["server/hosted/secrets"],
  ["server/hosted/github"],
  ["server/hosted/routing"],
  ["server/hosted/http", "server/hosted/projects", "server/hosted/reports"],
  ["server/hosted/sign-in", "server/hosted/host-rights"],
  ["server/hosted/following"],
  ["server/hosted/endpoint"],
  ["server/hosted/hooks", "server/hosted/pages", "server/hosted/admin"],
  ["server/hosted/hosted.ts"],
  ["cli"],
];

/** The same inside retrieval. Files outside these folders are used by all of them. */
const retrievalFolders = [["format"], ["index"], ["indexing"], ["ranked", "exact"], ["named"]].map((names) =>
  names.map((name) => `server/retrieval/${name}`),
);

/** Who may import a package that shapes the code around it. */
const packageHomes: Record<string, string[]> = {
  express: [
    "server/transports",
    "server/hosted/http",
    "server/hosted/sign-in",
    "server/hosted/endpoint",
    "server/hosted/hooks",
    "server/hosted/pages",
  ],
  "vscode-languageserver": ["server/transports"],
  "@modelcontextprotocol/sdk": ["server/transports", "server/hosted/endpoint"],
  "@modelcontextprotocol/server": ["server/transports", "server/hosted/endpoint"],
  ai: ["server/agent", "server/providers"],
  "@ai-sdk/": ["server/agent", "server/providers"],
  vscode: ["extension"],
  "vscode-languageclient": ["extension"],
  commander: ["cli"],
  "simple-git": ["server/resources"],
  pg: ["server/hosted/store"],
  "@electric-sql/pglite": ["server/hosted/store"],
  nodemailer: ["server/hosted/mail"],
  marked: ["client/markdown"],
};

const sources = ["server", "client", "cli", "extension"]
  .filter((folder) => existsSync(path.join(root, folder)))
  .flatMap(sourceFiles);

describe("import order", () => {
  test("a module imports only from its left", () => {
    expect(violations(sources, (file) => ownImportsOf(file).filter((target) => !mayImport(file, target)))).toEqual([]);
  });

  test("a folder of retrieval imports only from its left", () => {
    const files = sources.filter(
      (file) => file.startsWith("server/retrieval/") && file !== "server/retrieval/retrieval.ts",
    );
    const faultsOf = (file: string) => {
      const from = retrievalFolders.findIndex((folders) => folders.some((folder) => isBelow(file, folder)));
      const allowed = [path.posix.dirname(file), ...retrievalFolders.slice(0, Math.max(from, 0)).flat()];
      return ownImportsOf(file)
        .filter((target) => retrievalFolders.flat().some((folder) => isBelow(target, folder)))
        .filter((target) => !allowed.includes(path.posix.dirname(target)));
    };
    expect(violations(files, faultsOf)).toEqual([]);
  });

  test("packages are imported only where they belong", () => {
    const faultsOf = (file: string) =>
      importsOf(file).filter((specifier) =>
        Object.entries(packageHomes).some(
          ([name, homes]) => isPackage(specifier, name) && !homes.some((home) => file.startsWith(`${home}/`)),
        ),
      );
    expect(violations(sources, faultsOf)).toEqual([]);
  });

  test("only the command imports the hosted service, which loads for nothing else", () => {
    const importers = sources.filter(
      (file) =>
        !file.startsWith("server/hosted/") && ownImportsOf(file).some((target) => target.startsWith("server/hosted/")),
    );
    expect(importers.filter((file) => file !== "cli/commands/hosted.ts")).toEqual([]);
  });

  test("client imports marked, and nothing of Node", () => {
    const foreign = sources
      .filter((file) => file.startsWith("client/"))
      .flatMap(importsOf)
      .filter((specifier) => specifier !== "marked" && !specifier.startsWith("."));
    expect(foreign).toEqual([]);
  });

  test("protocol imports zod and nothing else", () => {
    const isOwn = (file: string, specifier: string) =>
      specifier.startsWith(".") && path.join(path.dirname(file), specifier).startsWith("server/protocol/");
    const foreign = sources
      .filter((file) => file.startsWith("server/protocol/"))
      .flatMap((file) => importsOf(file).filter((specifier) => specifier !== "zod" && !isOwn(file, specifier)));
    expect(foreign).toEqual([]);
  });
});

describe("invariants", () => {
  test("the environment and the working directory are read in few places only", () => {
    const allowed = ["cli/main.ts", "extension/child-environment.ts"];
    const readers = sources.filter((file) => /process\.(env|cwd)\b/.test(read(file)));
    expect(readers.filter((file) => !allowed.includes(file) && !file.startsWith("server/config/"))).toEqual([]);
  });

  test("no module has a variable of its own but the thread that indexes terms, which is one task", () => {
    const withVariables = sources.filter((file) => /^(?:export )?let /m.test(read(file)));
    expect(withVariables).toEqual(["server/retrieval/indexing/term-worker.ts"]);
  });

  test("arguments are read in cli/main.ts only", () => {
    expect(sources.filter((file) => /process\.argv\b/.test(read(file)))).toEqual(["cli/main.ts"]);
  });

  test("past resources/, files of a snapshot are read only through it: the file system is for the index that retrieval keeps", () => {
    const modules = ["server/retrieval/", "server/citations/", "server/agent/", "server/operations/"];
    const readers = sources.filter((file) => modules.some((module) => file.startsWith(module)));
    expect(readers.filter((file) => importsOf(file).some((specifier) => /^(node:)?fs/.test(specifier)))).toEqual([
      "server/retrieval/format/descriptors.ts",
      "server/retrieval/format/index-file.ts",
      "server/retrieval/index/index-folder.ts",
    ]);
  });
});

/** `<file> imports <target>` for each import of a file that breaks a rule. */
function violations(files: readonly string[], faultsOf: (file: string) => string[]): string[] {
  return files.flatMap((file) => faultsOf(file).map((target) => `${file} imports ${target}`));
}

function isBelow(file: string, folder: string): boolean {
  return file.startsWith(`${folder}/`);
}

function mayImport(file: string, target: string): boolean {
  // The version, which stands nowhere else.
  if (target === "package.json") return file.startsWith("cli/");
  if (target === "media/webview.css") return file === "extension/webview/webview.tsx";
  const isShared = target.startsWith("client/") || target.startsWith("server/protocol/");
  if (file.startsWith("client/")) return isShared;
  if (file.startsWith("extension/")) return isShared || target.startsWith("extension/");
  if (target.startsWith("client/")) return file.startsWith("cli/") || file.startsWith("server/hosted/pages/");
  const from = columnOf(file);
  const to = columnOf(target);
  if (from === to) return moduleOf(file) === moduleOf(target) || from === 0;
  const isTransport = file.startsWith("server/transports/");
  return isTransport ? to < 2 || target === "server/app.ts" : to < from;
}

function columnOf(file: string): number {
  const index = columns.findIndex((modules) => modules.some((module) => file === module || isBelow(file, module)));
  if (index === -1) throw new Error(`${file} belongs to no module of docs/development/architecture.md`);
  return index;
}

function moduleOf(file: string): string {
  return columns.flat().find((module) => file === module || isBelow(file, module)) ?? file;
}

function isPackage(specifier: string, name: string): boolean {
  return specifier === name || specifier.startsWith(name.endsWith("/") ? name : `${name}/`);
}

function ownImportsOf(file: string): string[] {
  return importsOf(file)
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => path.posix.join(path.posix.dirname(file), specifier));
}

/** Type imports count too: they couple modules just as well. */
function importsOf(file: string): string[] {
  const pattern = /(?:^|[\s;])(?:import|export)\b[^"';]*?\bfrom\s*"([^"]+)"|\bimport\s*\(?\s*"([^"]+)"/g;
  return [...read(file).matchAll(pattern)].map(([, from, bare]) => from ?? bare ?? "");
}

function sourceFiles(folder: string): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).split(path.sep).join("/"));
}

function read(file: string): string {
  return readFileSync(path.join(root, file), "utf8");
}
