import { unescape } from "node:querystring";
import semver from "semver";

/** Where a manifest takes a package from: a registry, under its real name, or another origin. */
export type Specified =
  | {
      type: "registry";
      /** The package's real name: an alias is installed under another one. */
      name: string;
      /** A version, range or tag. */
      version: string;
    }
  /** `origin` is the specifier, without credentials. */
  | { type: "elsewhere"; origin: string };

/**
 * Parses the specifier of a dependency in a `package.json`, as npm, pnpm, yarn and bun write them: a range or tag of the
 * registry, an alias (`npm:other@1`), or a repository, tarball, folder, patch or package of the workspace.
 */
export function parseSpecifier(name: string, text: string): Specified {
  const specifier = text.trim();
  const builtinPatch = /^patch:(.+)#(?:~|\w+!)*builtin</.exec(specifier)?.[1];
  if (builtinPatch !== undefined) {
    // Yarn's own patches are for compatibility only: the package is the published one.
    const source = unescape(builtinPatch);
    return parseSpecifier(name, source.slice(source.indexOf("@", 1) + 1));
  }
  if (specifier.startsWith("npm:")) return parsePublished(name, specifier.slice("npm:".length));
  const isElsewhere = /[:/\\]|^\.{1,2}$|\.(?:tgz|tar|tar\.gz)$/.test(specifier);
  if (isElsewhere) return { type: "elsewhere", origin: specifier.replace(/(?<=:\/\/)[^/@]*@/, "") };
  const exact = semver.clean(specifier, { loose: true });
  return { type: "registry", name, version: exact ?? (specifier === "" ? "*" : specifier) };
}

/** Yarn writes a range of the package itself as `npm:^1.0.0`. */
function parsePublished(name: string, text: string): Specified {
  if (text === "latest" || semver.validRange(text, { loose: true }) !== null) {
    return { type: "registry", name, version: text };
  }
  const alias = /^((?:@[^/@]+\/)?[^/@]+)(?:@(.*))?$/.exec(text);
  if (alias?.[1] === undefined) return { type: "elsewhere", origin: `npm:${text}` };
  return { type: "registry", name: alias[1], version: alias[2] || "latest" };
}
