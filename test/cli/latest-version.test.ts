import path from "node:path";
import { expect, test } from "vitest";
import { readLatestVersion } from "../../cli/latest-version.ts";
// Loaded on the first request: here, so that a busy machine does it before the time of a look-up begins.
import "../../server/lib/undici-fetch.ts";
import { temporaryFolder } from "../support/folder.ts";
import { startNpmRegistry } from "../support/npm-registry.ts";

/** A user whose registry has the given version; `find` is one run of the program. */
async function setUp({ published }: { published: string }) {
  const registry = await startNpmRegistry();
  registry.publish({ name: "citewell", version: published });
  const folder = await temporaryFolder(`//- .npmrc\nregistry=${registry.url}\n`);
  const find = ({ isQuiet = false, env = {} }: { isQuiet?: boolean; env?: Record<string, string> } = {}) =>
    readLatestVersion({
      location: { cwd: folder.path, env, platform: process.platform, homeDirectory: folder.path },
      dataDirectory: path.join(folder.path, "data"),
      isQuiet,
    });
  return {
    registry,
    find,
    async [Symbol.asyncDispose]() {
      await registry[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

test("a newer version is found in the user's registry, and looked up once a day", async () => {
  await using user = await setUp({ published: "999.0.0" });
  const newer = { version: "999.0.0", isNewer: true };
  expect([await user.find(), await user.find()]).toEqual([newer, newer]);
  expect(user.registry.requests).toHaveLength(1);
});

test("an older version is no newer one", async () => {
  await using user = await setUp({ published: "0.0.1" });
  expect(await user.find()).toEqual({ version: "0.0.1", isNewer: false });
});

test.each([
  ["for a script", { isQuiet: true }],
  ["in CI", { env: { CI: "1" } }],
  ["where it is switched off", { env: { CITEWELL_NO_UPDATE_CHECK: "1" } }],
])("no request is made %s", async (_when, options) => {
  await using user = await setUp({ published: "999.0.0" });
  expect(await user.find(options)).toEqual({ version: null, isNewer: false });
  expect(user.registry.requests).toEqual([]);
});
