import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeFault, requireRemote } from "../../cli/commands/check-added.ts";
import { CitewellError } from "../../server/errors.ts";
import type { ErrorTag } from "../../server/protocol/error-tags.ts";
import { ResourceSpec } from "../../server/protocol/resource.ts";
import { runCli } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { type GitServer, startGitServer } from "../support/git-server.ts";
import { type NpmRegistry, startNpmRegistry } from "../support/npm-registry.ts";
import { npmWorkspace } from "../support/npm-workspace.ts";
import { startInTerminal } from "../support/pty.ts";

const { signal } = new AbortController();

describe("a repository", () => {
  let server: GitServer;
  let commit: string;
  beforeAll(async () => {
    server = await startGitServer();
    commit = await server.commit("owner/lib", { "a.ts": "1\n" }, { branch: "master" });
    await server.git("owner/lib", ["symbolic-ref", "HEAD", "refs/heads/master"]);
    await server.git("owner/lib", ["tag", "v1.0", "master"]);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  async function check(spec: { repository?: string; branch?: string }) {
    await using folder = await temporaryFolder('//- home/citewell.config.jsonc\n{ "allowHosts": ["localhost"] }');
    const { repository = "owner/lib", branch } = spec;
    const env = {
      PATH: process.env["PATH"],
      CITEWELL_HOME: path.join(folder.path, "home"),
      GIT_SSL_CAINFO: server.caFile,
    };
    await requireRemote(ResourceSpec.parse({ type: "git", name: "lib", url: server.url(repository), branch }), {
      location: { cwd: folder.path, homeDirectory: folder.path, env, platform: process.platform },
      signal,
    });
  }

  test("passes with a branch, a tag or a commit", async () => {
    for (const branch of ["master", "v1.0", commit]) await check({ branch });
  });

  test("without the branch is a fault that names the main one", () =>
    expect(check({})).rejects.toMatchObject({
      tag: "BranchNotFound",
      message: `${server.url("owner/lib")} has no branch or tag "main"`,
      hint: "its main branch is master: add it with -b master",
    }));

  test("that is not there is a fault", () =>
    expect(check({ repository: "owner/libb" })).rejects.toMatchObject({ tag: "RepositoryNotFound" }));
});

describe("a package", () => {
  let registry: NpmRegistry;
  beforeAll(async () => {
    registry = await startNpmRegistry();
    registry.publish({ name: "pad", version: "1.0.0" });
  });
  afterAll(() => registry[Symbol.asyncDispose]());

  async function check(name: string, version?: string) {
    const files = '//- project/node_modules/here/package.json\n{ "name": "here", "version": "2.0.0" }\n';
    await using workspace = await npmWorkspace({ npmrc: `registry=${registry.url}`, files });
    const { location } = workspace;
    await requireRemote(ResourceSpec.parse({ type: "npm", name, package: name, version }), { location, signal });
  }

  test("passes with a version that is published, and if it is installed", async () => {
    await check("pad");
    await check("pad", "^1.0.0");
    await check("here");
  });

  test("that is not there, or not at that version, is a fault", async () => {
    await expect(check("padd")).rejects.toMatchObject({ tag: "PackageNotFound" });
    await expect(check("pad", "2.0.0")).rejects.toMatchObject({ tag: "VersionNotFound" });
    await expect(check("here", "3.0.0")).rejects.toMatchObject({ tag: "PackageNotFound" });
  });
});

describe("describeFault", () => {
  const check = (tag: ErrorTag, hint: string | undefined, expected: readonly string[]) =>
    test(`${tag} ${hint ?? "without a hint"}`, () =>
      expect(
        describeFault(new CitewellError(tag, "no pad", hint === undefined ? {} : { hint }), { name: "pad" }),
      ).toEqual(expected));

  check("PackageNotFound", "check it", ["warning: no pad", "hint: check it; to undo: citewell remove pad"]);
  check("BranchNotFound", undefined, ["warning: no pad", "hint: to undo: citewell remove pad"]);
  check("RegistryFailed", "see the network", ["note: it was not checked: no pad"]);
});

test("add in a terminal adds where the registry is away, and says that it did not check", async () => {
  await using folder = await temporaryFolder("//- .npmrc\nregistry=http://127.0.0.1:1/\n");
  const session = startInTerminal(["add", "npm:left-pad"], { cwd: folder.path });
  expect(await session.exit).toBe(0);
  expect(session.output()).toMatch(/added left-pad \(npm left-pad\)[\s\S]*note: it was not checked: /);
});

test("add without a terminal uses no network", async () => {
  await using registry = await startNpmRegistry();
  await using folder = await temporaryFolder(`//- .npmrc\nregistry=${registry.url}\n`);
  const { code, stderr } = await runCli(["add", "npm:left-pad"], { cwd: folder.path });
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^note: the examples [^\n]*\n$/) });
  expect(registry.requests).toEqual([]);
});
