import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { toErrorBody } from "../../../../../server/errors.ts";
import { chooseVersion } from "../../../../../server/resources/packages/npm/version-choice.ts";
import { readDependencies } from "../../../../../server/resources/packages/dependencies.ts";
import { type GitServer, startGitServer } from "../../../../support/git-server.ts";
import { type NpmRegistry, packTarball, startNpmRegistry } from "../../../../support/npm-registry.ts";
import { type NpmWorkspace, npmWorkspace } from "../../../../support/npm-workspace.ts";
import { type PackageManager, packageManagers } from "../../../../support/package-managers/managers.ts";

/*
 * Projects that npm, pnpm, yarn 1, yarn 4 and bun installed themselves: what is read is what they installed, or it is
 * refused. The registry has a newer package under every name.
 */

let registry: NpmRegistry;
let git: GitServer;
beforeAll(async () => {
  git = await startGitServer();
  await git.commit("gitdep", packageFiles("gitdep", "2.1.1", "a commit"));
  await git.git("gitdep", ["tag", "v2.1.1"]);
  await git.commit("gitdep", packageFiles("gitdep", "3.0.0", "a later commit"));
});
afterAll(() => git[Symbol.asyncDispose]());
beforeEach(async () => {
  registry = await startNpmRegistry();
  for (const version of ["1.0.0", "1.5.0", "2.0.0"]) publish("pkg", version);
  for (const name of ["patched", "overridden", "catalogued"]) {
    for (const version of ["1.0.0", "1.5.0"]) publish(name, version);
  }
  for (const name of [...elsewhere, "member", "short"]) publish(name, "9.9.9");
  publish("above", "1.0.0", { dependencies: { overridden: "^1" } });
  registry.intercept((request, response) => {
    if (request.url !== "/files/remote.tgz") return false;
    response.end(packTarball(packageFiles("remote", "4.0.0", "a tarball by its address")));
    return true;
  });
});
afterEach(() => registry[Symbol.asyncDispose]());

/** What no registry has. */
const elsewhere = ["folder", "linked", "portal", "tarball", "remote", "gitdep"];

/** What `index.js` of each package says. */
const installedTexts: Readonly<Record<string, string>> = {
  pkg: "published pkg 1.5.0",
  short: "published pkg 2.0.0",
  above: "published above 1.0.0",
  overridden: "published overridden 1.0.0",
  catalogued: "published catalogued 1.0.0",
  patched: "patched by the project",
  member: "packages/member",
  folder: "vendor/folder",
  linked: "vendor/linked",
  portal: "vendor/portal",
  tarball: "a tarball",
  remote: "a tarball by its address",
  gitdep: "a commit",
};

function publish(name: string, version: string, manifest: Record<string, unknown> = {}): void {
  registry.publish({
    name,
    version,
    manifest,
    tarball: packTarball(packageFiles(name, version, `published ${name} ${version}`)),
  });
}

function packageFiles(name: string, version: string, text: string): Record<string, string> {
  return { "package.json": JSON.stringify({ name, version, main: "index.js" }), "index.js": `${text}\n` };
}

const patch = `diff --git a/index.js b/index.js
--- a/index.js
+++ b/index.js
@@ -1 +1 @@
-published patched 1.0.0
+patched by the project
`;

/** The settings and arguments in which the programs differ. */
interface Project {
  /** The fields of the root's `package.json`. */
  dependencies: Record<string, string>;
  manifest?: object;
  /** A fixture string below `project/`. */
  files?: string;
  install?: readonly string[];
  isPatched: boolean;
}

function projectOf(manager: PackageManager["name"], { isPnp = false } = {}): Project {
  const common = {
    pkg: "^1.5.0",
    short: "npm:pkg@2.0.0",
    above: "1.0.0",
    folder: "file:./vendor/folder",
    tarball: "file:./vendor/tarball-3.0.0.tgz",
    remote: `${registry.url}files/remote.tgz`,
    gitdep: `git+${git.url("gitdep")}.git#v2.1.1`,
    patched: "1.0.0",
  };
  const overrides = { overridden: "1.0.0" };
  const catalog = { catalogued: "1.0.0" };
  const patchedDependencies = { "patched@1.0.0": "patches/patched@1.0.0.patch" };
  const patchFile = `//- project/patches/patched@1.0.0.patch\n${patch}`;
  switch (manager) {
    case "npm":
      return {
        isPatched: false,
        dependencies: { ...common, member: "*" },
        manifest: { overrides, workspaces: ["packages/*"] },
      };
    case "yarn":
      return {
        isPatched: false,
        dependencies: { ...common, member: "1.0.0", linked: "link:./vendor/linked" },
        manifest: { resolutions: overrides, workspaces: ["packages/*"] },
      };
    case "pnpm":
      return {
        isPatched: true,
        dependencies: { ...common, member: "workspace:*", linked: "link:./vendor/linked", catalogued: "catalog:" },
        manifest: { pnpm: { overrides, patchedDependencies } },
        files: `//- project/pnpm-workspace.yaml\npackages: ["packages/*"]\ncatalog: ${JSON.stringify(catalog)}\n${patchFile}`,
        install: ["--no-frozen-lockfile"],
      };
    case "berry":
      return {
        isPatched: true,
        dependencies: {
          ...common,
          member: "workspace:^",
          linked: "link:./vendor/linked",
          portal: "portal:./vendor/portal",
          catalogued: "catalog:",
          patched: "patch:patched@npm%3A1.0.0#~/patches/patched@1.0.0.patch",
        },
        manifest: { resolutions: overrides, workspaces: ["packages/*"] },
        files: `//- project/.yarnrc.yml\n${JSON.stringify({
          npmRegistryServer: registry.url,
          unsafeHttpWhitelist: ["127.0.0.1"],
          nodeLinker: isPnp ? "pnp" : "node-modules",
          enableGlobalCache: false,
          approvedGitRepositories: ["**"],
          catalog,
        })}\n${patchFile}`,
      };
    case "bun":
      return {
        isPatched: true,
        dependencies: { ...common, member: "workspace:*", catalogued: "catalog:" },
        manifest: { overrides, patchedDependencies, workspaces: { packages: ["packages/*"], catalog } },
        files: patchFile,
      };
  }
}

async function installed(manager: PackageManager, options: { isPnp?: boolean } = {}): Promise<NpmWorkspace> {
  const { dependencies, manifest, files = "", install = [] } = projectOf(manager.name, options);
  const json = (file: string, value: object) => `//- project/${file}\n${JSON.stringify(value)}\n`;
  const folders = ["vendor/folder", "vendor/linked", "vendor/portal", "packages/member"].map((folder) => {
    const name = path.basename(folder);
    return (
      json(`${folder}/package.json`, { name, version: "1.0.0", main: "index.js" }) +
      `//- project/${folder}/index.js\n${folder}\n`
    );
  });
  const workspace = await npmWorkspace({
    npmrc: `registry=${registry.url}`,
    files: [
      json("package.json", { name: "app", version: "1.0.0", private: true, dependencies, ...manifest }),
      json("packages/older/package.json", { name: "older", version: "1.0.0", dependencies: { pkg: "1.0.0" } }),
      ...folders,
      `//- project/.npmrc\nregistry=${registry.url}\n`,
      files,
    ].join(""),
  });
  const { path: root } = workspace.folder;
  const project = path.join(root, "project");
  await writeFile(
    path.join(project, "vendor", "tarball-3.0.0.tgz"),
    packTarball(packageFiles("tarball", "3.0.0", "a tarball")),
  );
  await manager.run(["install", ...install], {
    cwd: project,
    home: path.join(root, "home"),
    env: { GIT_SSL_CAINFO: git.caFile, NODE_EXTRA_CA_CERTS: git.caFile, GIT_CONFIG_NOSYSTEM: "1" },
  });
  return workspace;
}

const locks = ["package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock"];

/** The text of `index.js`, or why nothing is read. */
async function textOf(name: string, workspace: NpmWorkspace): Promise<string> {
  return await workspace.open({ package: name }).then(
    async (snapshot) => {
      await using open = snapshot;
      return (await open.read("index.js")).lines.join("\n");
    },
    (error: unknown) => `${toErrorBody(error).tag}: ${toErrorBody(error).error}`,
  );
}

describe.each(packageManagers().map((manager) => [manager.name, manager] as const))("of %s", (name, manager) => {
  const kinds = [
    { title: "in node_modules", isPnp: false },
    ...(name === "berry" ? [{ title: "with Plug'n'Play", isPnp: true }] : []),
  ];
  test.each(kinds)("what is read is what was installed, or it is refused: $title", async (options) => {
    await using workspace = await installed(manager, options);
    const project = path.join(workspace.folder.path, "project");
    const { dependencies, isPatched } = projectOf(name, options);
    const texts = isPatched ? installedTexts : { ...installedTexts, patched: "published patched 1.0.0" };
    const names = [...Object.keys(dependencies), "overridden"];
    const remove = (...places: string[]) =>
      Promise.all(places.map((place) => rm(path.join(project, place), { recursive: true, force: true })));
    const readAll = async () => {
      const entries = await Promise.all(names.map(async (name) => [name, await textOf(name, workspace)] as const));
      return Object.fromEntries(entries);
    };
    const textsOf = (wanted: readonly string[]) => Object.fromEntries(wanted.map((name) => [name, texts[name]]));
    const refusal = expect.stringMatching(/^PackageNotFound: (?:the project patches|\S+ takes) \w+/);
    const isRefused = (name: string) => elsewhere.includes(name) || (name === "patched" && isPatched);
    const refused = (wanted: readonly string[]) => Object.fromEntries(wanted.map((name) => [name, refusal]));
    const withoutElsewhere = { ...textsOf(names), ...refused(names.filter(isRefused)) };
    const older = { ...workspace.location, cwd: path.join(project, "packages", "older") };

    // Without node_modules, nothing shows that a linked folder was installed.
    expect(await readAll()).toEqual({ ...textsOf(names), ...(options.isPnp ? refused(["linked", "portal"]) : {}) });
    publish("pkg", "1.6.0");

    await remove("node_modules", "packages/older/node_modules", ".yarn", ".pnp.cjs", "../home/.yarn");
    expect(await readAll()).toEqual(withoutElsewhere);
    expect(await chooseVersion({ package: "pkg" }, older)).toMatchObject({ wanted: { name: "pkg", version: "1.0.0" } });
    const { skipped = [] } = (await readDependencies(workspace.location)) ?? {};
    expect(skipped.map(({ name }) => name).toSorted()).toEqual([...names.filter(isRefused), "member"].toSorted());

    await remove(...locks);
    expect(await readAll()).toEqual({ ...withoutElsewhere, pkg: "published pkg 1.6.0" });
  });
});
