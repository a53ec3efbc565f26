import semver from "semver";
import type { VersionRules } from "../pick-version.ts";

/**
 * Cargo's version requirements (https://doc.rust-lang.org/cargo/reference/specifying-dependencies.html) as ranges of
 * npm's `semver`, which has the same rules but for three: a bare version is `^`, a comma joins, and there is no `||` and
 * no `-` between versions. Undefined if the text is no requirement.
 */
function toRange(requirement: string): string | undefined {
  const comparators = requirement.split(",").map((part) => part.trim().replace(/^([\^~=<>]+)\s+/, "$1"));
  const known = comparators.map((part) => (comparatorPattern.test(part) ? part : undefined));
  if (known.includes(undefined)) return undefined;
  return comparators.map((part) => (/^[\dxX]/.test(part) && !/[*xX]$/.test(part) ? `^${part}` : part)).join(" ");
}

const comparatorPattern =
  /^(?:\*|(?:[\^~=]|[<>]=?)?\d+(?:\.(?:\*|x|X|\d+(?:\.(?:\*|x|X|\d+(?:-[\w.-]+)?(?:\+[\w.-]+)?))?))?)$/;

/** Whether a version is one that a requirement allows. */
export function satisfies(version: string, requirement: string): boolean {
  const range = toRange(requirement);
  return range !== undefined && semver.satisfies(version, range);
}

/** Whether a text is a version with all three parts, which in a reference means that version alone. */
export function isExact(version: string): boolean {
  return semver.valid(version) === version.replace(/\+.*$/, "");
}

/** The build metadata (`+wasi-snapshot-preview1`) does not tell versions apart. */
export function isSameVersion(a: string, b: string): boolean {
  return isExact(a) && isExact(b) && semver.eq(a, b);
}

/** Sorts the highest first. */
export function compareVersions(a: string, b: string): number {
  return isExact(a) && isExact(b) ? semver.rcompare(a, b) : Number(isExact(b)) - Number(isExact(a));
}

function isPrerelease(version: string): boolean {
  return semver.prerelease(version) !== null;
}

/**
 * What a manifest asks for, as the version of a reference: there a version alone is exact, so `1.0.5` becomes `^1.0.5`,
 * and `=1.0.5` becomes `1.0.5`.
 */
export function toWanted(requirement: string): string {
  const plain = requirement.replace(/\s+/g, "");
  if (plain === "" || plain === "*") return "latest";
  const pinned = /^=(.+)$/.exec(plain)?.[1] ?? "";
  if (isExact(pinned)) return pinned;
  return isExact(plain) ? `^${plain}` : plain;
}

export const versionRules: VersionRules = {
  compare: compareVersions,
  isVersion: isExact,
  isSame: isSameVersion,
  isPrerelease,
  satisfies,
};
