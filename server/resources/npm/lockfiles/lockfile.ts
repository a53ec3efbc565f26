import semver from "semver";

/** What a lockfile says about a package: the version of a registry, or that it is from somewhere else. */
export type Locked = (
  | {
      type: "published";
      /** The package's real name: an alias is installed under another one. */
      name: string;
      version: string;
      /** Subresource integrity of the published tarball, where the lockfile has it. */
      integrity: string | undefined;
    }
  /** `origin` is the scheme (`file`, `git+ssh`), or what else it is in words. */
  | { type: "elsewhere"; origin: string }
) & {
  /** Where yarn keeps it in its cache, wherever it is from. */
  locator?: YarnLocator;
};

/** Berry's name for exactly one package, a patched one included. */
export interface YarnLocator {
  /** The package's real name. */
  name: string;
  /** What follows the name in `resolution`: `npm:1.3.0`, `patch:left-pad@npm%3A1.3.0#~/…`. */
  reference: string;
  version: string;
  /** Whether the project patches it; patches that yarn brings along for itself do not count. */
  isPatched: boolean;
}

export interface LockfileQuestion {
  /** The name under which the package is installed. */
  package: string;
  /** The asking folder, relative to the lockfile's, with forward slashes; empty where they are the same. */
  importer: string;
  /** What the asking folder's `package.json` wants of it (`^4.0.0`), where it names it. */
  wanted: string | undefined;
  /** What yarn puts in place of ranges: the `resolutions` of the `package.json` beside the lockfile. */
  resolutions: Readonly<Record<string, string>>;
}

/** Reads one format; undefined where the file says nothing about the package, or is not of that format. */
export type LockfileReader = (text: string, question: LockfileQuestion) => Locked | undefined;

/** A package that nothing depends on directly may be locked at several versions: the highest. */
export function highest(candidates: readonly (Locked | undefined)[]): Locked | undefined {
  const published = candidates.filter((locked) => locked?.type === "published");
  const valid = published.filter(({ version }) => semver.valid(version) !== null);
  return valid.sort((a, b) => semver.rcompare(a.version, b.version))[0] ?? candidates.find((locked) => locked);
}

/** A version (`4.0.0`), an alias (`npm:other@4.0.0`), or another origin (`git+ssh://…`, `file:../x`) as lockfiles write them. */
export function lockedOf(name: string, reference: string, integrity: string | undefined): Locked {
  const alias = /^npm:((?:@[^/]+\/)?[^@/]+)@(.+)$/.exec(reference);
  if (alias?.[1] !== undefined && alias[2] !== undefined) return lockedOf(alias[1], alias[2], integrity);
  const version = reference.replace(/^npm:/, "");
  if (semver.valid(version) !== null) return { type: "published", name, version, integrity };
  return { type: "elsewhere", origin: /^([a-z+]+):/.exec(reference)?.[1] ?? "elsewhere" };
}
