import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toErrorBody } from "../../../../../server/errors.ts";
import { readDependencies } from "../../../../../server/resources/packages/dependencies.ts";
import { type NpmRegistry, startNpmRegistry } from "../../../../support/npm-registry.ts";
import { npmWorkspace } from "../../../../support/npm-workspace.ts";

/** Has newer versions under every name, which must not be read in place of the project's. */
let registry: NpmRegistry;
beforeAll(async () => {
  registry = await startNpmRegistry();
  for (const version of ["1.0.0", "1.5.0", "2.0.0"]) registry.publish({ name: "pkg", version });
  for (const version of ["4.0.0", "5.0.0"]) registry.publish({ name: "real", version });
});
afterAll(() => registry[Symbol.asyncDispose]());

/** The label of `npm:pkg`, or the error. */
async function opened(files: string, cwd = "project"): Promise<string> {
  await using workspace = await npmWorkspace({ npmrc: `registry=${registry.url}`, files, cwd });
  return await workspace.open().then(
    async (snapshot) => {
      await using open = snapshot;
      return open.info.label;
    },
    (error: unknown) => `${toErrorBody(error).tag}: ${toErrorBody(error).error}`,
  );
}

const file = (name: string, value: unknown) =>
  `//- project/${name}\n${typeof value === "string" ? value : JSON.stringify(value)}\n`;
const asking = (specifier: string, more: object = {}) =>
  file("package.json", { name: "app", dependencies: { pkg: specifier }, ...more });
const refused = (origin: string, by = "package.json") =>
  `PackageNotFound: ${by} takes pkg from ${origin}, not from a registry`;

/** In which another package has the published one, or an install before the manifest was changed. */
const staleLocks = {
  none: "",
  npm: file("package-lock.json", { lockfileVersion: 3, packages: { "node_modules/pkg": { version: "1.0.0" } } }),
  pnpm: file(
    "pnpm-lock.yaml",
    "lockfileVersion: '9.0'\npackages:\n  pkg@1.0.0:\n    resolution: {integrity: sha512-AA==}",
  ),
  yarn: file("yarn.lock", '# yarn lockfile v1\n\npkg@^1:\n  version "1.0.0"'),
  berry: file(
    "yarn.lock",
    '__metadata:\n  version: 8\n\n"pkg@npm:^1":\n  version: 1.0.0\n  resolution: "pkg@npm:1.0.0"',
  ),
  bun: file("bun.lock", { packages: { pkg: ["pkg@1.0.0", "", {}, "sha512-AA=="] } }),
};

describe.each(Object.entries(staleLocks))("with a lockfile of the published package (%s)", (_format, lock) => {
  test.each([
    "git+https://host.example/o/pkg.git#2.1.1",
    "git+ssh://host.example/o/pkg.git#semver:^2",
    "git://host.example/pkg.git",
    "git@host.example:o/pkg.git",
    "https://host.example/pkg.git",
    "https://host.example/pkg-2.0.0.tgz",
    "github:o/pkg#v2",
    "gist:1f2e3d",
    "o/pkg",
    "o/pkg#v2",
    "file:../pkg",
    "./pkg",
    "../pkg-1.0.0.tgz",
    "pkg-1.0.0.tgz",
    "~/pkg",
    "C:\\pkg",
    "link:../pkg",
    "portal:../pkg",
    "workspace:^",
    "jsr:@o/pkg@1",
    "patch:pkg@npm%3A1.0.0#~/.yarn/patches/pkg.patch",
    "exec:./make.js",
  ])("%s is refused", async (specifier) => {
    expect(await opened(asking(specifier) + lock)).toBe(refused(specifier));
  });

  test("an alias is the other package", async () => {
    expect(await opened(asking("npm:real@^4") + lock)).toBe("real 4.0.0 (^4 of package.json as pkg, fetched just now)");
  });
});

test("credentials in a URL are not shown", async () => {
  expect(await opened(asking("git+https://me:secret@host.example/pkg.git"))).toBe(
    refused("git+https://host.example/pkg.git"),
  );
});

test.each([
  ["^1", "pkg 1.5.0 (^1 of package.json, fetched just now)"],
  ["npm:^1", "pkg 1.5.0 (^1 of package.json, fetched just now)"],
  ["1.0.0", "pkg 1.0.0 (from package.json)"],
  ["", "pkg 2.0.0 (* of package.json, fetched just now)"],
  ["npm:real", "real 5.0.0 (latest of package.json as pkg, fetched just now)"],
  ["patch:pkg@npm%3A^1.0.0#~builtin<compat/pkg>", "pkg 1.5.0 (^1.0.0 of package.json, fetched just now)"],
  ["9.9.9", 'VersionNotFound: pkg has no version or tag "9.9.9"'],
])("without a lockfile, %j is what is read", async (specifier, label) => {
  expect(await opened(asking(specifier))).toBe(label);
});

describe("overrides", () => {
  test.each<[string, object]>([
    ["npm", { overrides: { pkg: "github:o/pkg" } }],
    ["npm, with the package's own dependencies", { overrides: { pkg: { ".": "github:o/pkg", other: "1" } } }],
    ["npm, of a range", { overrides: { "pkg@^1": "github:o/pkg" } }],
    ["npm, a reference", { overrides: { pkg: "$mine" }, devDependencies: { mine: "github:o/pkg" } }],
    ["pnpm", { pnpm: { overrides: { pkg: "github:o/pkg" } } }],
    ["yarn", { resolutions: { pkg: "github:o/pkg" } }],
    ["yarn, anywhere", { resolutions: { "**/pkg": "github:o/pkg" } }],
    ["yarn berry, of a range", { resolutions: { "pkg@npm:^1": "github:o/pkg" } }],
  ])("of %s decide the origin", async (_title, more) => {
    expect(await opened(asking("^1", more))).toBe(refused("github:o/pkg", "an override"));
    expect(await opened(file("package.json", more))).toBe(refused("github:o/pkg", "an override"));
  });

  test("of a file of pnpm's settings decide it", async () => {
    const settings = file("pnpm-workspace.yaml", "overrides:\n  pkg: link:../pkg");
    expect(await opened(asking("^1") + settings)).toBe(refused("link:../pkg", "an override"));
  });

  test("decide the version", async () => {
    expect(await opened(asking("^1", { overrides: { pkg: "1.0.0" } }))).toBe("pkg 1.0.0 (from an override)");
    expect(await opened(asking("^1", { resolutions: { pkg: "npm:real@4.0.0" } }))).toBe(
      "real 4.0.0 (from an override as pkg)",
    );
  });

  test("of another range or below another package do not", async () => {
    const overrides = { "pkg@^2": "github:o/pkg", "other>pkg": "github:o/pkg", other: { pkg: "github:o/pkg" } };
    expect(await opened(asking("^1", { overrides, resolutions: { "other/pkg": "github:o/pkg" } }))).toMatch(
      /^pkg 1\.5/,
    );
  });
});

describe("catalogs", () => {
  test.each<[string, string]>([
    ["pnpm", asking("catalog:") + file("pnpm-workspace.yaml", "catalog:\n  pkg: ^1")],
    ["pnpm, named", asking("catalog:old") + file("pnpm-workspace.yaml", "catalogs:\n  old:\n    pkg: ^1")],
    ["yarn", asking("catalog:") + file(".yarnrc.yml", "catalog:\n  pkg: ^1")],
    ["bun", asking("catalog:", { workspaces: { packages: [], catalog: { pkg: "^1" } } })],
    ["bun, named", asking("catalog:old", { catalogs: { old: { pkg: "^1" } } })],
  ])("of %s have the range", async (_title, files) => {
    expect(await opened(files)).toBe("pkg 1.5.0 (^1 of a catalog, fetched just now)");
  });

  test("of the root apply to a package of the workspace", async () => {
    const root =
      file("package.json", { name: "root" }) + file("pnpm-workspace.yaml", "packages: [a]\ncatalog: {pkg: ^1}");
    const files = `${root}//- project/a/package.json\n{"dependencies":{"pkg":"catalog:"}}\n`;
    expect(await opened(files, "project/a")).toBe("pkg 1.5.0 (^1 of a catalog, fetched just now)");
  });

  test("may have another origin, or no entry", async () => {
    const settings = file("pnpm-workspace.yaml", "catalog:\n  pkg: github:o/pkg");
    expect(await opened(asking("catalog:") + settings)).toBe(refused("github:o/pkg", "a catalog"));
    expect(await opened(asking("catalog:gone") + settings)).toBe(refused("catalog:gone"));
  });
});

describe("patches", () => {
  const patched = (label: string) => `PackageNotFound: the project patches pkg, and it is not installed${label}`;
  test.each<[string, string]>([
    ["pnpm", asking("^1", { pnpm: { patchedDependencies: { "pkg@1.0.0": "patches/pkg.patch" } } })],
    ["pnpm's settings", asking("^1") + file("pnpm-workspace.yaml", "patchedDependencies:\n  pkg: patches/pkg.patch")],
    ["bun", asking("^1", { patchedDependencies: { "pkg@1.0.0": "patches/pkg.patch" } })],
    ["patch-package", asking("^1") + file("patches/pkg+1.0.0.patch", "diff")],
    ["patch-package, in order", asking("^1") + file("patches/pkg+1.0.0+001+first.patch", "diff")],
    ["patch-package, nested", asking("^1") + file("patches/other++pkg+1.0.0.patch", "diff")],
  ])("of %s are not read without an installation", async (_title, files) => {
    expect(await opened(files)).toBe(patched(""));
    expect(await opened(files + staleLocks.npm)).toBe(patched(""));
    const installed = `${files}//- project/node_modules/pkg/package.json\n{"name":"pkg","version":"1.0.0"}\n`;
    expect(await opened(installed)).toBe("pkg 1.0.0 (installed in node_modules, patched)");
  });

  test.each([
    [
      "pnpm",
      "pnpm-lock.yaml",
      "lockfileVersion: '9.0'\npatchedDependencies:\n  pkg@1.0.0:\n    hash: ab\n    path: p.patch\n\npackages:\n  pkg@1.0.0:\n    resolution: {integrity: sha512-AA==}",
    ],
    [
      "bun",
      "bun.lock",
      '{"packages":{"pkg":["pkg@1.0.0","",{},"sha512-AA=="]},"patchedDependencies":{"pkg@1.0.0":"p.patch"}}',
    ],
  ])("in a lockfile of %s count for an indirect dependency", async (_title, name, text) => {
    expect(await opened(file("package.json", {}) + file(name, text))).toBe(refused("a patch", name));
  });

  test("of another version or package do not count", async () => {
    expect(await opened(asking("^1") + staleLocks.npm + file("patches/pkg+2.0.0.patch", "diff"))).toMatch(
      /^pkg 1\.0\.0/,
    );
    expect(await opened(asking("^1") + file("patches/@o+pkg+1.0.0.patch", "diff"))).toMatch(/^pkg 1\.5\.0/);
  });
});

describe("a package of the workspace", () => {
  const members = '//- project/packages/pkg/package.json\n{"name":"pkg","version":"0.1.0"}\n';
  test.each<[string, string]>([
    ["npm", file("package.json", { workspaces: ["packages/*"], dependencies: { pkg: "*" } })],
    ["pnpm", asking("workspace:*") + file("pnpm-workspace.yaml", "packages:\n  - packages/*")],
    ["pnpm, undeclared", file("package.json", {}) + file("pnpm-workspace.yaml", "packages:\n  - packages/*")],
    ["yarn, by its path", asking("workspace:packages/pkg", { workspaces: ["packages/*"] })],
  ])("of %s is read in its folder", async (_title, files) => {
    expect(await opened(files + members)).toBe("pkg 0.1.0 (a package of this workspace)");
  });

  test("pnpm: under another name", async () => {
    const other = '//- project/packages/a/package.json\n{"name":"other","version":"0.2.0"}\n';
    const root = asking("workspace:other@*") + file("pnpm-workspace.yaml", "packages:\n  - packages/*");
    expect(await opened(root + other)).toBe("other 0.2.0 (a package of this workspace)");
  });
});

test("a tarball in npm's lockfile is not the registry's package, also below another package", async () => {
  const resolved = "https://host.example/pkg.tgz";
  const packages = {
    "node_modules/other": { version: "1.0.0", dependencies: { pkg: resolved } },
    "node_modules/pkg": { version: "1.0.0", resolved },
  };
  const files = file("package.json", {}) + file("package-lock.json", { lockfileVersion: 3, packages });
  expect(await opened(files)).toBe(refused("a tarball", "package-lock.json"));
});

test("pnpm: a linked folder whose name is a version", async () => {
  const lock = "importers:\n  .:\n    dependencies:\n      pkg: {version: link:../1.0.0}";
  expect(await opened(file("package.json", {}) + file("pnpm-lock.yaml", lock))).toBe(refused("link", "pnpm-lock.yaml"));
});

test("the dependencies that cannot be added are listed with the reason", async () => {
  const root = file("package.json", {
    workspaces: ["packages/*"],
    dependencies: { git: "github:o/git", renamed: "npm:real@^4", app: "*", "Bad Name": "1", pkg: "^1" },
  });
  const app = `//- project/packages/app/package.json
{"name":"app","dependencies":{"there":"github:o/there","two":"npm:real@5.0.0"}}
//- project/packages/app/node_modules/there/package.json
{"name":"there","version":"1.0.0"}
//- project/packages/app/node_modules/two/package.json
{"name":"real","version":"5.0.0"}
`;
  await using workspace = await npmWorkspace({ npmrc: `registry=${registry.url}`, files: root + app });
  expect(await readDependencies(workspace.location)).toEqual({
    usable: [
      { type: "npm", name: "pkg", package: "pkg", version: undefined, wanted: "^1", isUsual: true },
      { type: "npm", name: "renamed", package: "real", version: undefined, wanted: "^4", isUsual: true },
      { type: "npm", name: "two", package: "real", version: "5.0.0", wanted: undefined, isUsual: false },
    ],
    skipped: [
      { name: "Bad Name", reason: "no resource can have this name" },
      { name: "app", reason: "it is a package of this workspace" },
      { name: "git", reason: "package.json takes git from github:o/git, not from a registry" },
      { name: "there", reason: "only packages/app takes it from github:o/there" },
    ],
  });
});
