import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toErrorBody } from "../../../../../server/errors.ts";
import type { PackageSpec } from "../../../../../server/resources/packages/packages.ts";
import { readDependencies } from "../../../../../server/resources/packages/dependencies.ts";
import { type NpmRegistry, startNpmRegistry } from "../../../../support/npm-registry.ts";
import { type NpmWorkspace, npmWorkspace, type NpmWorkspaceOptions } from "../../../../support/npm-workspace.ts";
import { packYarnZip } from "../../../../support/zip.ts";

let registry: NpmRegistry;
beforeAll(async () => {
  registry = await startNpmRegistry();
  registry.publish({ name: "left-pad", version: "1.3.0", files: "//- index.js\npublished\n" });
  registry.publish({ name: "left-pad", version: "1.2.0" });
  registry.publish({ name: "resolve", version: "1.22.8" });
});
afterAll(() => registry[Symbol.asyncDispose]());

/** As yarn 4.18 wrote it: a patch of the project's, one of yarn's own, one over the other, an alias, a tarball. */
const project = `//- project/package.json
{
  "workspaces": ["packages/*"],
  "dependencies": {
    "left-pad": "patch:left-pad@npm%3A1.3.0#~/.yarn/patches/left-pad-npm-1.3.0-0382e69409.patch",
    "resolve": "1.22.8",
    "typescript": "patch:typescript@npm%3A5.4.5#~/.yarn/patches/typescript-npm-5.4.5-8568a42232.patch",
    "@babel/code-frame": "7.12.11",
    "al": "npm:is-number@7.0.0",
    "ms": "https://host.example/ms-2.1.3.tgz"
  }
}
//- project/packages/a/package.json
{ "name": "a", "dependencies": { "left-pad": "1.3.0" } }
//- project/yarn.lock
__metadata:
  version: 10
  cacheKey: 10c0

"@babel/code-frame@npm:7.12.11":
  version: 7.12.11
  resolution: "@babel/code-frame@npm:7.12.11"

"al@npm:is-number@7.0.0":
  version: 7.0.0
  resolution: "is-number@npm:7.0.0"

"left-pad@npm:1.3.0":
  version: 1.3.0
  resolution: "left-pad@npm:1.3.0"

"left-pad@patch:left-pad@npm%3A1.3.0#~/.yarn/patches/left-pad-npm-1.3.0-0382e69409.patch":
  version: 1.3.0
  resolution: "left-pad@patch:left-pad@npm%3A1.3.0#~/.yarn/patches/left-pad-npm-1.3.0-0382e69409.patch::version=1.3.0&hash=9a558f"

"ms@https://host.example/ms-2.1.3.tgz":
  version: 2.1.3
  resolution: "ms@https://host.example/ms-2.1.3.tgz"

"resolve@npm:1.22.8":
  version: 1.22.8
  resolution: "resolve@npm:1.22.8"

"resolve@patch:resolve@npm%3A1.22.8#optional!builtin<compat/resolve>":
  version: 1.22.8
  resolution: "resolve@patch:resolve@npm%3A1.22.8#optional!builtin<compat/resolve>::version=1.22.8&hash=9bd1a5"

"typescript@npm:5.4.5":
  version: 5.4.5
  resolution: "typescript@npm:5.4.5"

"typescript@patch:typescript@npm%3A5.4.5#~/.yarn/patches/typescript-npm-5.4.5-8568a42232.patch":
  version: 5.4.5
  resolution: "typescript@patch:typescript@npm%3A5.4.5#~/.yarn/patches/typescript-npm-5.4.5-8568a42232.patch::version=5.4.5&hash=070049"

"typescript@patch:typescript@patch%3Atypescript@npm%253A5.4.5%23~/.yarn/patches/typescript-npm-5.4.5-8568a42232.patch#optional!builtin<compat/typescript>":
  version: 5.4.5
  resolution: "typescript@patch:typescript@patch%3Atypescript@npm%253A5.4.5%23~/.yarn/patches/typescript-npm-5.4.5-8568a42232.patch%3A%3Aversion=5.4.5&hash=070049#optional!builtin<compat/typescript>::version=5.4.5&hash=5adc0c"
`;

/** The names that yarn 4.18 gave to the zips of these packages. */
const zips = {
  leftPad: "left-pad-npm-1.3.0-0382e69409-3fb59c76e2.zip",
  leftPadPatched: "left-pad-patch-309572ab58-083671164d.zip",
  resolve: "resolve-npm-1.22.8-098f379dfe-10c0.zip",
  resolvePatched: "resolve-patch-49bde8f0be-10c0.zip",
  typescript: "typescript-npm-5.4.5-8568a42232-2954022ada.zip",
  typescriptPatched: "typescript-patch-fdb025e96b-32ef70376d.zip",
  typescriptTwicePatched: "typescript-patch-448c0fbc37-98cc1fab79.zip",
  codeFrame: "@babel-code-frame-npm-7.12.11-1a9a1b277f-836ffd1555.zip",
  isNumber: "is-number-npm-7.0.0-060086935c-b4686d0d30.zip",
  ms: "ms-https-df5728022a-10c0.zip",
};

interface Case extends NpmWorkspaceOptions {
  /** Where zips lie, from the folder above the project, with the package they are of; their only file is their path. */
  cached?: Record<string, string>;
}

async function yarnWorkspace({ cached = {}, files = "", ...options }: Case): Promise<NpmWorkspace> {
  const npmrc = `registry=${registry.url}`;
  const workspace = await npmWorkspace({ npmrc, files: project + files, ...options });
  for (const [place, name] of Object.entries(cached)) {
    const file = path.join(workspace.folder.path, place);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, packYarnZip(name, { "index.js": `${place}\n` }));
  }
  return workspace;
}

/** The label, the text and the number of requests to the registry; or the error's tag and text. */
async function check(options: Case, spec: string | Partial<PackageSpec>): Promise<[label: string, read?: string]> {
  await using workspace = await yarnWorkspace(options);
  const before = registry.requests.length;
  try {
    await using snapshot = await workspace.open(typeof spec === "string" ? { package: spec } : spec);
    const isAsked = registry.requests.length > before;
    const text = (await snapshot.read(isAsked ? "package.json" : "index.js")).text.trim();
    return [snapshot.info.label, isAsked ? "from the registry" : text];
  } catch (error) {
    return [`${toErrorBody(error).tag}: ${toErrorBody(error).error.replace(workspace.folder.path, "")}`];
  }
}

const here = "project/.yarn/cache";

describe("a package that is not installed is read from yarn's cache", () => {
  test.each<[string, string, string, string, string]>([
    [
      "a scoped one",
      "@babel/code-frame",
      zips.codeFrame,
      "@babel/code-frame",
      "@babel/code-frame 7.12.11 (from yarn's cache)",
    ],
    ["an alias", "al", zips.isNumber, "is-number", "is-number 7.0.0 (from yarn's cache as al)"],
    ["one from elsewhere", "ms", zips.ms, "ms", "ms 2.1.3 (from yarn's cache)"],
    ["a patched one", "left-pad", zips.leftPadPatched, "left-pad", "left-pad 1.3.0 (from yarn's cache, patched)"],
    [
      "one that yarn patches by itself",
      "resolve",
      zips.resolvePatched,
      "resolve",
      "resolve 1.22.8 (from yarn's cache)",
    ],
    [
      "one that both patch",
      "typescript",
      zips.typescriptTwicePatched,
      "typescript",
      "typescript 5.4.5 (from yarn's cache, patched)",
    ],
  ])("%s", async (_title, name, zip, real, label) => {
    const others = Object.fromEntries(Object.values(zips).map((other) => [`${here}/${other}`, "decoy"]));
    const place = `${here}/${zip}`;
    expect(await check({ cached: { ...others, [place]: real } }, name)).toEqual([label, place]);
  });

  test("as in the depending workspace: without the patch of another", async () => {
    const cached = { [`${here}/${zips.leftPad}`]: "left-pad", [`${here}/${zips.leftPadPatched}`]: "left-pad" };
    expect(await check({ cached, cwd: "project/packages/a" }, "left-pad")).toEqual([
      "left-pad 1.3.0 (from yarn's cache)",
      `${here}/${zips.leftPad}`,
    ]);
  });

  test("if exactly its version is requested", async () => {
    const cached = { [`${here}/${zips.leftPadPatched}`]: "left-pad" };
    const asked = (version: string) => check({ cached }, { package: "left-pad", version });
    expect((await asked("1.3.0"))[0]).toBe("left-pad 1.3.0 (from yarn's cache, patched)");
    expect((await asked("1.2.0"))[0]).toBe("left-pad 1.2.0 (from the registry)");
    expect((await asked("^1.0.0"))[0]).toBe("left-pad 1.2.0 (^1.0.0 in the registry, fetched just now)");
  });

  test("but not if it is installed", async () => {
    const files =
      '//- project/node_modules/left-pad/package.json\n{"version":"1.3.0"}\n//- project/node_modules/left-pad/index.js\nhere\n';
    const cached = { [`${here}/${zips.leftPadPatched}`]: "left-pad" };
    expect(await check({ cached, files }, "left-pad")).toEqual(["left-pad 1.3.0 (installed in node_modules)", "here"]);
  });
});

describe("the cache's location", () => {
  const rc = (folder: string, text: string) => `//- ${folder}/.yarnrc.yml\n${text}\n`;
  test.each<[string, string, Omit<Case, "cached">]>([
    ["the user's cache", "home/.yarn/berry/cache", {}],
    [
      "where data is kept",
      "data-home/yarn/berry/cache",
      { env: (root) => ({ XDG_DATA_HOME: path.join(root, "data-home") }) },
    ],
    [
      "on Windows",
      "local/Yarn/Berry/cache",
      { platform: "win32", env: (root) => ({ LOCALAPPDATA: path.join(root, "local") }) },
    ],
    ["on Windows, by default", "home/AppData/Local/Yarn/Berry/cache", { platform: "win32" }],
    [
      "the environment's cache",
      "caches",
      { env: () => ({ YARN_CACHE_FOLDER: "../../../caches" }), files: rc("project", "cacheFolder: ./x") },
    ],
    ["the environment's global folder", "global/cache", { env: () => ({ YARN_GLOBAL_FOLDER: "../../../global" }) }],
    ["the project's setting", "project/deps", { files: rc("project", "cacheFolder: ./deps") }],
    ["a setting above the project", "deps", { files: rc(".", "cacheFolder: deps") + rc("home", "cacheFolder: x") }],
    ["the user's setting", "home/deps", { files: rc("home", "cacheFolder: ~/deps") }],
    ["the user's global folder", "home/g/cache", { files: rc("home", "globalFolder: ./g") }],
    [
      "a setting with a variable",
      "project/v/w",
      { env: () => ({ V: "v" }), files: rc("project", "cacheFolder: ./${V}/${W:-w}") },
    ],
    ["in spite of a setting that is none", here, { files: rc("project", "cacheFolder: [a]") + rc("home", ": : {") }],
    ["from a folder below", here, { cwd: "project/packages/a/src" }],
  ])("%s", async (_title, folder, options) => {
    const place = `${folder}/${zips.leftPad}`;
    const files = `//- project/packages/a/src/x.ts\n${options.files ?? ""}`;
    const cached = { [place]: "left-pad" };
    const cwd = options.cwd ?? "project/packages/a";
    expect(await check({ ...options, files, cached, cwd }, "left-pad")).toEqual([
      "left-pad 1.3.0 (from yarn's cache)",
      place,
    ]);
  });

  test("is not on the network for an untrusted project on Windows", async () => {
    const files = rc("project", String.raw`cacheFolder: \\host.example\share`) + rc("home", "cacheFolder: ./deps");
    const place = `home/deps/${zips.leftPad}`;
    const options: Case = { platform: "win32", cwd: "project/packages/a", files, cached: { [place]: "left-pad" } };
    expect((await check(options, "left-pad"))[1]).toBe(place);
  });

  test("the project's comes before the user's", async () => {
    const place = `${here}/${zips.codeFrame}`;
    const cached = { [`home/.yarn/berry/cache/${zips.codeFrame}`]: "@babel/code-frame", [place]: "@babel/code-frame" };
    expect((await check({ cached }, "@babel/code-frame"))[1]).toBe(place);
  });
});

describe("a package that is not in the cache", () => {
  test("is fetched from the registry if it is published", async () => {
    expect(await check({ cwd: "project/packages/a" }, "left-pad")).toEqual([
      "left-pad 1.3.0 (from yarn.lock)",
      "from the registry",
    ]);
    expect((await check({}, "resolve"))[0]).toBe("resolve 1.22.8 (from yarn.lock)");
  });

  test("has no replacement if it is patched", async () => {
    const cached = { [`${here}/${zips.leftPad}`]: "left-pad" };
    expect(await check({ cached }, "left-pad")).toEqual([
      "PackageNotFound: yarn.lock takes left-pad from a patch, not from a registry",
    ]);
  });

  test("may be a folder of its name", async () => {
    const files = `//- ${here}/${zips.codeFrame}/x\n`;
    expect((await check({ files }, "@babel/code-frame"))[0]).toMatch(/^PackageNotFound: no package "@babel/);
  });
});

test("a damaged zip is reported, without a replacement", async () => {
  await using workspace = await yarnWorkspace({
    cached: { [`${here}/${zips.leftPad}`]: "other" },
    cwd: "project/packages/a",
  });
  const file = path.join(workspace.folder.path, here, zips.leftPad);
  expect(await workspace.open({ package: "left-pad" }).catch(toErrorBody)).toEqual({
    tag: "PackageUnreadable",
    error: `${file} in yarn's cache cannot be read: it has nothing in node_modules/left-pad/`,
    hint: "remove it, then run: yarn install",
  });
  expect(await workspace.kept()).toEqual([]);
});

test("the unpacked zip is stored and described; a replaced zip is another source", async () => {
  const place = `${here}/${zips.codeFrame}`;
  await using workspace = await yarnWorkspace({ cached: { [place]: "@babel/code-frame" } });
  const spec = { name: "frame", package: "@babel/code-frame" };
  const describeIt = () => workspace.npm.describe(spec, { refresh: "always", signal: new AbortController().signal });
  expect(await describeIt()).toMatchObject({ state: "absent" });
  await using before = await workspace.open(spec);
  expect(before.pathOnDisk("index.js")).toBeUndefined();
  expect(await describeIt()).toMatchObject({ state: "ready", revision: before.revision, fileCount: 1 });

  const zip = packYarnZip("@babel/code-frame", { "index.js": "another text\n" });
  await writeFile(path.join(workspace.folder.path, place), zip);
  await using after = await workspace.open(spec);
  expect((await after.read("index.js")).text).toBe("another text\n");
  expect((await before.read("index.js")).text).toBe(`${place}\n`);
  expect(after.revision).not.toBe(before.revision);
});

test("the dependencies of a workspace have the versions of its cache", async () => {
  const cached = { [`${here}/${zips.leftPadPatched}`]: "left-pad", [`${here}/${zips.ms}`]: "ms" };
  await using workspace = await yarnWorkspace({ cached });
  const dependencies = await readDependencies(workspace.location);
  expect(dependencies?.usable.map(({ name, version }) => `${name} ${version}`)).toEqual([
    "@babel/code-frame 7.12.11",
    "al 7.0.0",
    "left-pad 1.3.0",
    "ms 2.1.3",
    "resolve 1.22.8",
  ]);
});
