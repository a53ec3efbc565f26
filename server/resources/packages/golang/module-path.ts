import semver from "semver";

/** Upper-case letters as `!x`, for disks that ignore case: https://go.dev/ref/mod#goproxy-protocol */
export function escapePath(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`);
}

/** Whether a path is that of a module or of a package in it. */
export function isWithin(path: string, module: string): boolean {
  return path === module || path.startsWith(`${module}/`);
}

/** Hosts whose repositories have an owner and a name. */
const repositoryHosts = ["github.com", "gitlab.com", "bitbucket.org", "codeberg.org"];

/** The modules that a package may be in, longest first. */
export function modulesOf(path: string): string[] {
  const elements = path.split("/");
  const shortest = Math.min(elements.length, repositoryHosts.includes(elements[0] ?? "") ? 3 : 2);
  return elements.slice(shortest - 1).map((_, dropped) => elements.slice(0, elements.length - dropped).join("/"));
}

/** A published version in full; a branch, commit or part of a version is not. */
export function isExact(version: string): boolean {
  return /^v\d+\.\d+\.\d+/.test(version) && semver.valid(version) !== null;
}

/** People leave out the `v`. */
export function normalizeVersion(version: string): string {
  return version.replace(/^([<>]=?)?v?(?=\d+(?:\.|$))/, "$1v");
}

/** The path of a module at a version: https://go.dev/ref/mod#major-version-suffixes. What names no major keeps the path. */
export function pathAt(path: string, version: string): string {
  const major = /^v?(\d+)(?![^+]*\+incompatible)/.exec(version)?.[1];
  if (major === undefined) return path;
  if (path.startsWith("gopkg.in/")) return path.replace(/\.v\d+$/, `.v${major}`);
  return `${path.replace(/\/v\d+$/, "")}${Number(major) < 2 ? "" : `/v${major}`}`;
}

/** Highest first; what is no version is left out. */
export function sortVersions(versions: readonly string[]): string[] {
  return versions.filter(isExact).toSorted((a, b) => semver.rcompare(a, b));
}

/** Whether a version is one that a query such as `v1`, `v1.9` or `>=v1.9.1` means. */
export function answersQuery(version: string, query: string): boolean {
  if (/^v\d+(?:\.\d+)?$/.test(query)) return version.startsWith(`${query}.`);
  return /^[<>]=?v\d/.test(query) && semver.satisfies(version, query, { includePrerelease: true });
}
