import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CitewellError } from "../../../../../server/errors.ts";
import { Packument, pickVersion, publishedVersion } from "../../../../../server/resources/packages/npm/packument.ts";
import { type Folder, temporaryFolder } from "../../../../support/folder.ts";
import { type NpmRegistry, startNpmRegistry } from "../../../../support/npm-registry.ts";
import { runNpm } from "../../../../support/run-npm.ts";

const versions: Record<string, Record<string, unknown>> = {
  "0.9.0": {},
  "1.0.0": {},
  "1.1.0": {},
  "1.2.0": { deprecated: "has a bug" },
  "1.3.0-beta.1": {},
  "2.0.0": {},
  "2.1.0": {},
  "3.0.0": { deprecated: "withdrawn" },
  "4.0.0-rc.1": {},
};
const tags = { latest: "2.0.0", next: "4.0.0-rc.1", gone: "5.0.0", odd: "strange" };

const packument = Packument.parse({ name: "pkg", "dist-tags": tags, versions });

/** The version picked, or the error's message and hint. */
function pick(wanted: string, from = packument): string {
  try {
    return pickVersion(from, wanted);
  } catch (error) {
    return error instanceof CitewellError ? `${error.tag}: ${error.message}; ${error.hint}` : String(error);
  }
}

describe("a version is chosen as by the real npm", () => {
  let registry: NpmRegistry;
  let folder: Folder;
  beforeAll(async () => {
    registry = await startNpmRegistry();
    folder = await temporaryFolder();
    for (const [version, manifest] of Object.entries(versions)) registry.publish({ name: "pkg", version, manifest });
    registry.publish({ name: "pkg", version: "2.0.0", document: { "dist-tags": tags } });
  });
  afterAll(async () => {
    await registry[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  test.each([
    ["1.0.0", "1.0.0"],
    ["v1.0.0", "1.0.0"],
    ["=1.0.0", "1.0.0"],
    ["1.2.0", "1.2.0"],
    ["latest", "2.0.0"],
    ["next", "4.0.0-rc.1"],
    ["*", "2.0.0"],
    ["2", "2.0.0"],
    ["^2.0.1", "2.1.0"],
    ["1.x", "1.1.0"],
    ["~1.2.0", "1.2.0"],
    ["^1.3.0-beta", "1.3.0-beta.1"],
    [">=2.1", "2.1.0"],
    ["0.9||1.0", "1.0.0"],
    ["3", "3.0.0"],
  ])("%s: %s", async (wanted, expected) => {
    const args = ["pack", `pkg@${wanted}`, "--dry-run", "--json", `--registry=${registry.url}`];
    expect(await runNpm(args, { cwd: folder.path })).toContain(`"id": "pkg@${expected}"`);
    expect(pick(wanted)).toBe(expected);
  });
});

describe("a missing version is reported, and no other is used", () => {
  test.each([
    ["1.0.9", `VersionNotFound: pkg has no version or tag "1.0.9"; did you mean 1.1.0 or 1.0.0? the newest is 2.0.0`],
    ["nxt", `VersionNotFound: pkg has no version or tag "nxt"; did you mean next? the newest is 2.0.0`],
    ["^9", `VersionNotFound: pkg has no version or tag "^9"; the newest is 2.0.0`],
    ["gone", `VersionNotFound: pkg has no version or tag "gone"; did you mean 4.0.0-rc.1? the newest is 2.0.0`],
    ["odd", `VersionNotFound: pkg has no version or tag "odd"; did you mean odd? the newest is 2.0.0`],
    ["constructor", `VersionNotFound: pkg has no version or tag "constructor"; the newest is 2.0.0`],
    ["npm:other@1", `VersionNotFound: pkg has no version or tag "npm:other@1"; the newest is 2.0.0`],
  ])("%s", (wanted, expected) => {
    expect(pick(wanted)).toBe(expected);
  });

  test("of a package without versions", () => {
    const empty = Packument.parse({ name: "pkg", "dist-tags": {}, versions: {} });
    expect(pick("latest", empty)).toBe(
      'VersionNotFound: pkg has no version or tag "latest"; the registry has no version of it',
    );
  });

  test("invalid versions do not affect valid ones", () => {
    const odd = Packument.parse({
      name: "pkg",
      "dist-tags": 7,
      versions: { nonsense: {}, "1.0.0": null, "1.1.0": {} },
    });
    expect(pick("^1", odd)).toBe("1.1.0");
  });
});

describe("how a version is fetched", () => {
  const tarball = "https://host.example/pkg.tgz";
  const shasum = "da39a3ee5e6b4b0d3255bfef95601890afd80709";
  const sha1 = "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=";
  test.each<[string, unknown, string]>([
    ["its integrity", { dist: { tarball, integrity: "sha512-AAAA", shasum } }, "sha512-AAAA"],
    ["the older checksum alone", { dist: { tarball, shasum } }, sha1],
    ["an integrity of an unknown kind", { dist: { tarball, integrity: "md5-AAAA", shasum } }, sha1],
    ["no checksum", { dist: { tarball } }, "RegistryFailed"],
    ["no tarball", { dist: { shasum } }, "RegistryFailed"],
    ["no dist", {}, "RegistryFailed"],
    ["no manifest", "1.0.0", "RegistryFailed"],
  ])("%s", (_title, manifest, expected) => {
    const version = "1.0.0";
    const entry = typeof manifest === "object" ? { version, ...manifest } : manifest;
    expect(integrityOf({ name: "pkg", "dist-tags": {}, versions: { [version]: entry } })).toBe(expected);
  });
});

/** The result for version 1.0.0, or the error's tag. */
function integrityOf(from: Packument): string {
  try {
    return publishedVersion(from, "1.0.0").integrity;
  } catch (error) {
    return error instanceof CitewellError ? error.tag : String(error);
  }
}
