import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toErrorBody } from "../../../../../server/errors.ts";
import { npmEcosystem } from "../../../../../server/resources/packages/npm/npm.ts";
import { latestVersion, type PackageSpec } from "../../../../../server/resources/packages/packages.ts";
import { temporaryFolder } from "../../../../support/folder.ts";
import { type NpmRegistry, packTarball, sri, startNpmRegistry } from "../../../../support/npm-registry.ts";
import { npmWorkspace, type NpmWorkspaceOptions } from "../../../../support/npm-workspace.ts";
import { runNpm } from "../../../../support/run-npm.ts";

let registry: NpmRegistry;
const tarball = packTarball({ "package.json": '{"name":"pkg","version":"1.5.0"}', "index.js": "export {}\n" });

beforeAll(async () => {
  registry = await startNpmRegistry();
  registry.publish({ name: "pkg", version: "1.0.0", files: "//- index.js\nexport {}\n" });
  registry.publish({ name: "pkg", version: "1.5.0", tarball });
  registry.publish({ name: "pkg", version: "3.0.0-rc.1", tags: ["next"] });
  registry.publish({ name: "pkg", version: "2.0.0" });
  registry.publish({ name: "real", version: "4.0.0" });
  registry.publish({ name: "@corp/lib", version: "1.0.0" });
});
afterAll(() => registry[Symbol.asyncDispose]());

/** The label of the version, or the error's tag and text; and the number of requests to the registry. */
async function opened(
  options: NpmWorkspaceOptions,
  spec: Partial<PackageSpec> = {},
): Promise<{ label: string; requests: number }> {
  await using workspace = await npmWorkspace({ npmrc: `registry=${registry.url}`, ...options });
  const before = registry.requests.length;
  const label = await workspace.open(spec).then(
    async (snapshot) => {
      await using open = snapshot;
      expect(open.revision).toMatch(/^[\w.-]+\+[0-9a-f]{16}$/);
      return open.info.label;
    },
    (error: unknown) => `${toErrorBody(error).tag}: ${toErrorBody(error).error}`,
  );
  return { label, requests: registry.requests.length - before };
}

const installed = (version: string, folder = "project", name = "pkg") =>
  `//- ${folder}/node_modules/pkg/package.json\n{"name":"${name}","version":"${version}"}\n`;
const locked = (entry: object) =>
  `//- project/package-lock.json\n${JSON.stringify({ lockfileVersion: 3, packages: { "node_modules/pkg": entry } })}\n`;

describe("the workspace's version, if none is requested", () => {
  test.each<[string, NpmWorkspaceOptions, string]>([
    ["installed", { files: installed("1.1.1") }, "pkg 1.1.1 (installed in node_modules)"],
    [
      "installed in a folder above",
      { files: `${installed("1.1.1")}//- project/packages/a/package.json\n{}\n`, cwd: "project/packages/a" },
      "pkg 1.1.1 (installed in node_modules)",
    ],
    [
      "the nearest of two",
      { files: installed("1.1.1") + installed("1.2.2", "project/packages/a"), cwd: "project/packages/a" },
      "pkg 1.2.2 (installed in node_modules)",
    ],
    [
      "installed under its name for another",
      { files: installed("4.5.6", "project", "real") },
      "real 4.5.6 (installed in node_modules as pkg)",
    ],
    [
      "without a version of its own",
      { files: "//- project/node_modules/pkg/package.json\n{}\n" },
      "pkg 0.0.0 (installed in node_modules)",
    ],
  ])("%s", async (_title, options, label) => {
    expect(await opened(options)).toEqual({ label, requests: 0 });
  });

  test.each<[string, NpmWorkspaceOptions, string]>([
    ["from the lockfile", { files: locked({ version: "1.0.0" }) }, "pkg 1.0.0 (from package-lock.json)"],
    [
      "from the lockfile, where what is installed is damaged",
      { files: `${locked({ version: "1.0.0" })}//- project/node_modules/pkg/package.json\n{\n` },
      "pkg 1.0.0 (from package-lock.json)",
    ],
    [
      "from the lockfile, with its checksum",
      { files: locked({ version: "1.5.0", integrity: sri("sha512", tarball) }) },
      "pkg 1.5.0 (from package-lock.json)",
    ],
    [
      "from the lockfile, for another",
      { files: locked({ name: "real", version: "4.0.0" }) },
      "real 4.0.0 (from package-lock.json as pkg)",
    ],
    ["the latest, where nothing names one", {}, "pkg 2.0.0 (latest in the registry, fetched just now)"],
  ])("%s", async (_title, options, label) => {
    expect((await opened(options)).label).toBe(label);
  });

  test("a tarball without the lockfile's checksum", async () => {
    const integrity = sri("sha512", Buffer.from("other bytes"));
    const { label } = await opened({ files: locked({ version: "1.5.0", integrity }) });
    expect(label).toMatch(/^IntegrityMismatch: .*pkg-1\.5\.0\.tgz does not match its checksum$/);
  });

  test("another origin in a lockfile, which no registry may replace", async () => {
    const files = locked({ version: "1.0.0", resolved: "git+ssh://git@host.example/pkg.git#abc" });
    expect(await opened({ files })).toEqual({
      label: "PackageNotFound: package-lock.json takes pkg from git+ssh, not from a registry",
      requests: 0,
    });
  });

  test("a lockfile's version that is missing in the registry", async () => {
    const { label } = await opened({ files: locked({ version: "1.7.7" }) });
    expect(label).toBe('VersionNotFound: pkg has no version or tag "1.7.7"');
  });
});

describe("a requested version", () => {
  test.each([
    ["1.0.0", "pkg 1.0.0 (from the registry; 1.1.1 is installed here)"],
    ["v1.0.0", "pkg 1.0.0 (from the registry; 1.1.1 is installed here)"],
    ["^1", "pkg 1.5.0 (^1 in the registry, fetched just now; 1.1.1 is installed here)"],
    ["next", "pkg 3.0.0-rc.1 (next in the registry, fetched just now; 1.1.1 is installed here)"],
    ["9.9.9", 'VersionNotFound: pkg has no version or tag "9.9.9"'],
  ])("%s, with another version installed", async (version, label) => {
    expect((await opened({ files: installed("1.1.1") }, { version })).label).toBe(label);
  });

  test("is read from disk if it is installed", async () => {
    const expected = { label: "pkg 1.1.1 (installed in node_modules)", requests: 0 };
    expect(await opened({ files: installed("1.1.1") }, { version: "1.1.1" })).toEqual(expected);
    expect(await opened({ files: installed("1.1.1") }, { version: "v1.1.1" })).toEqual(expected);
  });

  test("is not read from another package installed under its name", async () => {
    const { label } = await opened({ files: installed("1.0.0", "project", "real") }, { version: "1.0.0" });
    expect(label).toBe("pkg 1.0.0 (from the registry)");
  });
});

describe("a missing package", () => {
  test("is reported with the registry", async () => {
    await using workspace = await npmWorkspace({ npmrc: `registry=${registry.url}` });
    const error = await workspace.open({ package: "absent" }).catch(toErrorBody);
    expect(error).toEqual({
      tag: "PackageNotFound",
      error: `no package "absent" on ${new URL(registry.url).host}`,
      hint: "check its spelling",
    });
  });

  test("may be private if it has a scope", async () => {
    await using workspace = await npmWorkspace({ npmrc: `registry=${registry.url}` });
    const error = await workspace.open({ package: "@corp/absent" }).catch(toErrorBody);
    expect(error).toMatchObject({
      tag: "PackageNotFound",
      hint: expect.stringContaining("npm login --scope=@corp --registry=http://127.0.0.1:"),
    });
  });
});

describe("an installed package", () => {
  test("is read in place: its own files, at the checksum recorded by npm", async () => {
    const npmsNote = { packages: { "node_modules/pkg": { version: "1.5.0", integrity: sri("sha512", tarball) } } };
    const files = `//- project/node_modules/pkg/package.json
{"name":"pkg","version":"1.5.0"}
//- project/node_modules/pkg/src/a.js
export const a = 1;
//- project/node_modules/pkg/node_modules/other/package.json
{"name":"other","version":"1.0.0"}
//- project/node_modules/.package-lock.json
${JSON.stringify(npmsNote)}
`;
    await using workspace = await npmWorkspace({ npmrc: `registry=${registry.url}`, files });
    await using snapshot = await workspace.open({ notes: "mind the gap" });
    expect(snapshot.files.map((file) => file.path)).toEqual(["package.json", "src/a.js"]);
    expect(snapshot.skipped).toEqual([{ path: "node_modules", reason: "other packages" }]);
    expect(snapshot.pathOnDisk("src/a.js")).toMatch(/node_modules.pkg.src.a\.js$/);
    expect((await snapshot.read("src/a.js")).lines).toEqual(["export const a = 1;"]);
    expect(snapshot.notes).toBe("mind the gap");
    expect(snapshot.info).toMatchObject({ type: "npm", resource: "pkg", fetchedAt: null, fileCount: 2 });

    await using elsewhere = await npmWorkspace({ npmrc: `registry=${registry.url}` });
    await using fetched = await elsewhere.open({ version: "1.5.0" });
    expect(fetched.revision).toBe(snapshot.revision);
  });

  test("has its content as its revision if no checksum is recorded, or one of another version", async () => {
    const plain = await revisionOf(installed("1.0.0"));
    expect(await revisionOf(installed("1.0.0") + noted("9.9.9"))).toBe(plain);
    expect(await revisionOf(installed("1.0.0") + noted("1.0.0"))).not.toBe(plain);
    expect(await revisionOf(`${installed("1.0.0")}//- project/node_modules/pkg/more.js\n`)).not.toBe(plain);
  });

  test("may be a link to a workspace or a store; nothing outside of it is read", async () => {
    const files = `//- packages/pkg/package.json\n{"name":"pkg","version":"0.1.0"}\n//- secret.txt\nsecret\n`;
    await using workspace = await npmWorkspace({ files });
    const root = workspace.folder.path;
    await mkdir(path.join(root, "project/node_modules"));
    await symlink(path.join(root, "packages/pkg"), path.join(root, "project/node_modules/pkg"), "junction");
    await symlink(path.join(root, "secret.txt"), path.join(root, "packages/pkg/secret.txt"));
    await using snapshot = await workspace.open();
    expect(snapshot.info.label).toBe("pkg 0.1.0 (installed in node_modules)");
    expect(snapshot.files.map((file) => file.path)).toEqual(["package.json"]);
    expect(snapshot.skipped).toEqual([{ path: "secret.txt", reason: "a link that leaves the tree" }]);
  });

  test("has the revision of the published package if the real npm installed it", async () => {
    await using own = await startNpmRegistry();
    own.publish({ name: "pkg", version: "1.0.0", files: "//- index.js\nexport {}\n" });
    own.publish({ name: "@corp/real", version: "2.0.0" });
    const files = `//- project/package.json
{ "workspaces": ["packages/*"], "dependencies": { "pkg": "^1.0.0", "aliased": "npm:@corp/real@^2.0.0" } }
//- project/packages/member/package.json
{ "name": "member", "version": "0.1.0" }
`;
    await using workspace = await npmWorkspace({ npmrc: `registry=${own.url}`, files });
    const { path: root } = workspace.folder;
    await runNpm(["install"], { cwd: path.join(root, "project"), home: path.join(root, "home") });
    const labels = ["pkg", "aliased", "member"].map(async (name) => {
      await using snapshot = await workspace.open({ package: name });
      return snapshot.info.label;
    });
    expect(await Promise.all(labels)).toEqual([
      "pkg 1.0.0 (installed in node_modules)",
      "@corp/real 2.0.0 (installed in node_modules as aliased)",
      "member 0.1.0 (installed in node_modules)",
    ]);
    await using installed = await workspace.open();
    await using elsewhere = await npmWorkspace({ npmrc: `registry=${own.url}` });
    await using fetched = await elsewhere.open();
    expect(installed.revision).toBe(fetched.revision);
  });

  test("is described without a request", async () => {
    await using workspace = await npmWorkspace({ files: installed("1.1.1") });
    const signal = new AbortController().signal;
    expect(await workspace.npm.describe({ name: "pkg", package: "pkg" }, { refresh: "daily", signal })).toEqual({
      state: "ready",
      revision: expect.stringMatching(/^1\.1\.1\+/),
      fetchedAt: null,
      sizeBytes: 33,
      fileCount: 1,
      failure: null,
    });
  });
});

describe("a fetched package", () => {
  test("is the whole tarball, with the content of the registry's page beside it", async () => {
    await using own = await startNpmRegistry();
    own.publish({
      name: "shown",
      version: "1.2.0",
      files: "//- src/index.js\nexport {}\n//- README.md\n# Shown\n//- .citewell-package/page.md\nforged\n",
      manifest: {
        description: "Shows things.",
        license: "MIT",
        repository: { type: "git", url: "git+https://github.com/corp/shown.git" },
        keywords: ["show"],
        dependencies: { other: "^1.0.0" },
        engines: { node: ">=18" },
        homepage: 7,
      },
      document: { maintainers: [{ name: "ann", email: "ann@example.com" }, "bob"] },
    });
    await using workspace = await npmWorkspace({ npmrc: `registry=${own.url}` });
    await using snapshot = await workspace.open({ package: "shown" });
    expect(snapshot.files.map((file) => file.path)).toEqual([
      ".citewell-package/README.md",
      ".citewell-package/metadata.json",
      ".citewell-package/page.md",
      "README.md",
      "package.json",
      "src/index.js",
    ]);
    expect(snapshot.pathOnDisk("src/index.js")).toBeUndefined();
    expect(snapshot.permalink("src/index.js", { startLine: 1, endLine: 1 })).toBeUndefined();
    expect((await snapshot.read(".citewell-package/README.md")).text).toBe("# Shown\n");
    expect((await snapshot.read(".citewell-package/page.md")).text).toMatchInlineSnapshot(`
      "# shown 1.2.0

      Shows things.

      \`\`\`sh
      npm install shown
      \`\`\`

      - Published: 2026-01-02T03:04:05.678Z
      - Tags: latest 1.2.0
      - Licence: MIT
      - Repository: git+https://github.com/corp/shown.git
      - Maintainers: 2
      - Keywords: show
      - Versions: 1

      ## Needs

      - node >=18

      ## Dependencies

      - other ^1.0.0
      "
    `);
    expect((await snapshot.read(".citewell-package/metadata.json")).text).toMatchInlineSnapshot(`
      "{
        "name": "shown",
        "version": "1.2.0",
        "description": "Shows things.",
        "keywords": [
          "show"
        ],
        "license": "MIT",
        "repository": "git+https://github.com/corp/shown.git",
        "maintainers": [
          "ann",
          "bob"
        ],
        "engines": {
          "node": ">=18"
        },
        "dependencies": {
          "other": "^1.0.0"
        },
        "peerDependencies": {},
        "optionalDependencies": {},
        "publishedAt": "2026-01-02T03:04:05.678Z",
        "dist-tags": {
          "latest": "1.2.0"
        },
        "versions": [
          "1.2.0"
        ]
      }
      "
    `);
  });

  test("is requested as npm does, and once if the version is exact", async () => {
    await using own = await startNpmRegistry({ folder: "/npm/" });
    own.publish({ name: "@corp/lib", version: "1.0.0" });
    await using workspace = await npmWorkspace({ npmrc: `@corp:registry=${own.url}` });
    for (let times = 0; times < 2; times++) {
      await using snapshot = await workspace.open({ package: "@corp/lib", version: "1.0.0" });
      expect(snapshot.files).toHaveLength(4);
    }
    expect(own.requests.map(({ path }) => path)).toEqual([
      "/npm/@corp%2flib",
      "/npm/@corp%2flib",
      "/npm/@corp/lib/-/lib-1.0.0.tgz",
    ]);
    expect(own.requests[0]?.headers.accept).toMatch(/^application\/vnd\.npm\.install-v1\+json/);
  });

  test("for a one-off is moved to the cache, and the registry is contacted once", async () => {
    await using own = await startNpmRegistry();
    own.publish({ name: "pkg", version: "1.0.0" });
    await using workspace = await npmWorkspace({ npmrc: `registry=${own.url}` });
    await (await workspace.open({}, { isOneOff: true }))[Symbol.asyncDispose]();
    expect(await workspace.kept()).toEqual([]);
    const requests = own.requests.length;
    await using again = await workspace.open({}, { isOneOff: true });
    expect(again.info).toMatchObject({ label: "pkg 1.0.0 (latest in the registry, fetched just now)" });
    expect(own.requests).toHaveLength(requests);
  });
});

test("the newest version is requested from the user's registry", async () => {
  await using folder = await temporaryFolder(`//- home/.npmrc\nregistry=${registry.url}\n//- project/.keep\n`);
  const location = {
    cwd: path.join(folder.path, "project"),
    homeDirectory: path.join(folder.path, "home"),
    env: {},
    platform: process.platform,
  };
  const signal = new AbortController().signal;
  expect(await latestVersion(npmEcosystem, "pkg", { location, network: {}, signal })).toBe("2.0.0");
  await expect(latestVersion(npmEcosystem, "absent", { location, network: {}, signal })).rejects.toThrow(
    'no package "absent"',
  );
});

describe("when the registry is unreachable", () => {
  const hour = 3600 * 1000;

  test("the copy on disk is used, with its age", async () => {
    await using own = await startNpmRegistry();
    own.publish({ name: "pkg", version: "1.0.0" });
    let time = Date.UTC(2026, 0, 1);
    await using workspace = await npmWorkspace({ npmrc: `registry=${own.url}`, now: () => time });
    await (await workspace.open())[Symbol.asyncDispose]();
    await own.stop();
    time += 50 * hour;
    await using snapshot = await workspace.open();
    expect(snapshot.info.label).toBe("pkg 1.0.0 (latest in the registry, fetched 2 days ago)");
    expect(snapshot.info.stale).toMatch(/2 days ago/);
    expect(snapshot.files).toHaveLength(4);
  });

  test("without a copy it is an error", async () => {
    await using own = await startNpmRegistry();
    await own.stop();
    await using workspace = await npmWorkspace({ npmrc: `registry=${own.url}` });
    const error = await workspace.open().catch(toErrorBody);
    expect(error).toMatchObject({ tag: "RegistryFailed", hint: expect.stringContaining("npm config get registry") });
  });

  test("a package's state is known, and an unusable configuration does not fail the list", async () => {
    await using own = await startNpmRegistry();
    own.publish({ name: "pkg", version: "1.0.0" });
    await using workspace = await npmWorkspace({ npmrc: `registry=${own.url}` });
    const options = { refresh: "daily", signal: new AbortController().signal } as const;
    const describe = () => workspace.npm.describe({ name: "pkg", package: "pkg" }, options);
    expect(await describe()).toMatchObject({ state: "absent" });
    await (await workspace.open())[Symbol.asyncDispose]();
    expect(await describe()).toMatchObject({ state: "ready", fileCount: 4 });
    await writeFile(path.join(workspace.folder.path, "home/.npmrc"), "registry=nonsense");
    expect(await describe()).toMatchObject({ state: "failed", revision: null });
  });
});

function noted(version: string): string {
  const packages = { "node_modules/pkg": { version, integrity: "sha512-AAAA" } };
  return `//- project/node_modules/.package-lock.json\n${JSON.stringify({ packages })}\n`;
}

async function revisionOf(files: string): Promise<string> {
  await using workspace = await npmWorkspace({ files });
  await using snapshot = await workspace.open();
  return snapshot.revision;
}
