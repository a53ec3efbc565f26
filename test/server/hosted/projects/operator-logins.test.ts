import { chmod } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../support/folder.ts";
import { type GitServer, startGitServer } from "../../../support/git-server.ts";
import { startService } from "../../../support/hosted.ts";
import { type NpmRegistry, startNpmRegistry } from "../../../support/npm-registry.ts";
import { testEngines } from "../../../support/stores.ts";

const otters = { query: "otters", mode: "exact" };

describe.each(testEngines())("what the operator's computer has is not used for projects on $name", (engine) => {
  let git: GitServer;
  let registry: NpmRegistry;
  beforeAll(async () => {
    [git, registry] = await Promise.all([startGitServer(), startNpmRegistry()]);
  });
  afterAll(async () => {
    await git[Symbol.asyncDispose]();
    await registry[Symbol.asyncDispose]();
  });

  test("packages, lockfiles and npm tokens in folders around the data directory, and npm's global file", async () => {
    registry.publish({ name: "shelf", version: "2.0.0", files: "//- a.js\n// published otters\n" });
    const token = `${registry.place}:_authToken=of-the-operator\n`;
    await using folder = await temporaryFolder(
      `//- package.json\n{}\n//- .npmrc\n${token}//- node_modules/shelf/package.json\n{"name":"shelf","version":"1.0.0"}\n` +
        `//- node_modules/shelf/a.js\n// otters of the operator\n//- bin/node\n#!/bin/sh\n//- etc/npmrc\n${token}`,
    );
    await using service = await startService(await engine.createDatabase(), {
      config: { dataDirectory: path.join(folder.path, "data") },
      env: { npm_config_registry: registry.url, PATH: `${path.join(folder.path, "bin")}:${process.env["PATH"]}` },
    });
    const key = await service.key();
    await service.call(key, "addResource", { type: "npm", name: "shelf", package: "shelf" });
    await service.untilFetched();
    const { content } = await service.call(key, "search", otters);
    expect(content.map(({ text }) => text).join("\n")).toContain("published otters");
    expect(registry.requests.map(({ headers }) => headers.authorization)).toEqual(
      registry.requests.map(() => undefined),
    );
  });

  test.skipIf(process.platform === "win32")("logins in git's configuration of the computer", async () => {
    await git.commit("lib", { "a.js": "// otters\n" });
    const authorizations: unknown[] = [];
    git.intercept(async (request) => {
      authorizations.push(request.headers.authorization);
      return false;
    });
    await using folder = await temporaryFolder(
      `//- system\n[http "${git.origin}"]\nextraHeader = Authorization: Basic b2Y6b3BlcmF0b3I=\n`,
    );
    // A test cannot write the system's file: this git reads another one in its place.
    const own = `PATH='${process.env["PATH"]}' GIT_CONFIG_SYSTEM='${path.join(folder.path, "system")}'`;
    await folder.write(`//- bin/git\n#!/bin/sh\n${own} exec git "$@"\n`);
    await chmod(path.join(folder.path, "bin", "git"), 0o755);
    await using service = await startService(await engine.createDatabase(), {
      env: {
        SSL_CERT_FILE: git.caFile,
        NODE_EXTRA_CA_CERTS: git.caFile,
        PATH: `${path.join(folder.path, "bin")}:${process.env["PATH"]}`,
      },
    });
    const key = await service.key();
    await service.call(key, "addResource", { type: "git", name: "lib", url: git.url("lib") });
    await service.untilFetched();
    expect(await service.call(key, "search", otters)).toMatchObject({ isError: false });
    expect(authorizations.length).toBeGreaterThan(0);
    expect(authorizations.filter((one) => one !== undefined)).toEqual([]);
  });
});
