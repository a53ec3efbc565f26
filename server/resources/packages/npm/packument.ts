import semver from "semver";
import * as z from "zod";
import { CitewellError } from "../../../errors.ts";
import { nearest } from "../../../lib/nearest.ts";
import { ownValue } from "../files.ts";
import type { ListedVersion } from "../ecosystem.ts";
import { isIntegrity } from "../integrity.ts";
import { dayOf } from "../published-day.ts";
import { neighbours, noVersion } from "../pick-version.ts";

/**
 * A registry's metadata of a package (https://github.com/npm/registry/blob/main/docs/responses/package-metadata.md), in
 * short or full form. Only the fields needed to choose a version are validated; versions are validated when chosen.
 */
export const Packument = z.looseObject({
  name: z.string(),
  "dist-tags": z.record(z.string(), z.string()).catch({}),
  versions: z.record(z.string(), z.unknown()),
  time: z.record(z.string(), z.unknown()).optional().catch(undefined),
});
export type Packument = z.infer<typeof Packument>;

const Dist = z.object({ tarball: z.string(), integrity: z.string().optional(), shasum: z.string().optional() });
const Manifest = z.looseObject({ version: z.string(), dist: Dist });

/** The fields of a published version that are needed to fetch it. */
export interface Published {
  version: string;
  tarball: string;
  /** The checksums of the tarball, as subresource integrity. */
  integrity: string;
}

/**
 * The version for a version, range or tag, chosen as npm does: for a range, `latest` if it is included, else the
 * highest, deprecated ones last.
 * @throws VersionNotFound
 */
export function pickVersion(packument: Packument, wanted: string): string {
  const { versions, "dist-tags": tags } = packument;
  const exact = semver.clean(wanted, { loose: true });
  const range = semver.validRange(wanted, { loose: true });
  if (exact === null && range === null) return checkVersion(packument, wanted, ownValue(tags, wanted));
  if (exact !== null) return checkVersion(packument, wanted, exact);
  const matching = Object.keys(versions).filter((version) => semver.satisfies(version, wanted, { loose: true }));
  const current = matching.filter((version) => !isDeprecated(versions[version]));
  const latest = ownValue(tags, "latest");
  if (latest !== undefined && current.includes(latest)) return latest;
  return checkVersion(packument, wanted, sortVersions(current)[0] ?? sortVersions(matching)[0]);
}

/** With the dates of the full form. */
export function listVersions({ versions, time = {} }: Packument): ListedVersion[] {
  return sortVersions(Object.keys(versions)).map((version) => ({ version, date: dayOf(ownValue(time, version)) }));
}

/** @throws RegistryFailed (the registry's entry for the version is not usable) */
export function publishedVersion(packument: Packument, version: string): Published {
  const manifest = Manifest.safeParse(ownValue(packument.versions, version));
  if (!manifest.success) throw unusable(packument.name, version, "has no tarball in the registry's answer");
  const { tarball, integrity, shasum } = manifest.data.dist;
  const sha1 = `sha1-${Buffer.from(shasum ?? "", "hex").toString("base64")}`;
  const checksum = [integrity ?? "", sha1].find(isIntegrity);
  if (checksum === undefined) throw unusable(packument.name, version, "has no checksum in the registry's answer");
  return { version, tarball, integrity: checksum };
}

function checkVersion(packument: Packument, wanted: string, version: string | undefined): string {
  if (version !== undefined && ownValue(packument.versions, version) !== undefined) return version;
  const { name, versions, "dist-tags": tags } = packument;
  const known = sortVersions(Object.keys(versions));
  const isVersion = version !== undefined && semver.valid(version, { loose: true }) !== null;
  const close = isVersion ? neighbours(version, known, compareVersions) : nearest(wanted, Object.keys(tags));
  const newest = ownValue(tags, "latest") ?? known[0];
  throw noVersion(name, wanted, { newest, close, noun: "version or tag" });
}

function isDeprecated(manifest: unknown): boolean {
  return typeof manifest === "object" && manifest !== null && "deprecated" in manifest && Boolean(manifest.deprecated);
}

/** Highest first; invalid versions are excluded. */
function sortVersions(versions: readonly string[]): string[] {
  return versions.filter((version) => semver.valid(version, { loose: true }) !== null).sort(compareVersions);
}

function compareVersions(a: string, b: string): number {
  return semver.rcompare(a, b, { loose: true });
}

function unusable(name: string, version: string, fault: string): CitewellError {
  return new CitewellError("RegistryFailed", `${name} ${version} ${fault}`, {
    hint: "ask the registry's operator, or name another version",
  });
}
