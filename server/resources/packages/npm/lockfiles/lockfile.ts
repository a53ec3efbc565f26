import semver from "semver";

/** The entry of a lockfile for a package: a published version, or another origin. */
export type Locked = (
  | {
      type: "published";
      /** The package's real name: an alias is installed under another one. */
      name: string;
      version: string;
      /** Subresource integrity of the published tarball, if the lockfile has it. */
      integrity: string | undefined;
    }
  /** `origin` is the scheme (`file`, `git+ssh`), or a description. */
  | { type: "elsewhere"; origin: string }
) & {
  /** Identifies it in yarn's cache, whatever its origin. */
  locator?: YarnLocator;
};

/** Yarn berry's identifier of exactly one package, patched or not. */
export interface YarnLocator {
  /** The package's real name. */
  name: string;
  /** The part of `resolution` after the name: `npm:1.3.0`, `patch:left-pad@npm%3A1.3.0#~/…`. */
  reference: string;
  version: string;
  /** Whether the project patches it; yarn's built-in patches do not count. */
  isPatched: boolean;
}

/** What to look up in a lockfile. */
export interface LockfileQuestion {
  /** The name under which the package is installed. */
  package: string;
  /** The depending folder, relative to the lockfile's, with forward slashes; empty if they are the same. */
  importer: string;
  /** The range in the depending folder's `package.json` (`^4.0.0`), if it lists the package. */
  wanted: string | undefined;
  /** Yarn's overrides of ranges: the `resolutions` of the `package.json` beside the lockfile. */
  resolutions: Readonly<Record<string, string>>;
}

/** Reads one format; undefined if the file does not contain the package, or has another format. */
export type LockfileReader = (text: string, question: LockfileQuestion) => Locked | undefined;

/** The highest version: a package without a direct dependent may be locked at several versions. */
export function highest(candidates: readonly (Locked | undefined)[]): Locked | undefined {
  const published = candidates.filter((locked) => locked?.type === "published");
  const valid = published.filter(({ version }) => semver.valid(version) !== null);
  return valid.sort((a, b) => semver.rcompare(a.version, b.version))[0] ?? candidates.find((locked) => locked);
}

/**
 * A version (`4.0.0`), an alias (`npm:other@4.0.0`), or another origin (`git+ssh://…`, `file:../x`) as lockfiles write
 * them.
 */
export function lockedOf(name: string, reference: string, integrity: string | undefined): Locked {
  const alias = /^npm:((?:@[^/]+\/)?[^@/]+)@(.+)$/.exec(reference);
  if (alias?.[1] !== undefined && alias[2] !== undefined) return lockedOf(alias[1], alias[2], integrity);
  const version = reference.replace(/^npm:/, "");
  if (semver.valid(version) !== null) return { type: "published", name, version, integrity };
  return { type: "elsewhere", origin: /^([a-z+]+):/.exec(reference)?.[1] ?? "another place" };
}
