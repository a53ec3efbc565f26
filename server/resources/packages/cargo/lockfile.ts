import path from "node:path";
import { readTextFile } from "../files.ts";
import { compareVersions } from "./requirements.ts";
import { normalizeName } from "./names.ts";

/** An entry of `Cargo.lock`. */
export interface LockedCrate {
  name: string;
  version: string;
  /** `registry+https://…`, `sparse+https://…`, `git+https://…#<commit>`; undefined for a folder of the project. */
  source: string | undefined;
  /** The archive's SHA-256 in hexadecimal. */
  checksum: string | undefined;
  /** `name`, `name version` or `name version (source)`: Cargo writes only as much as is needed to identify the crate. */
  dependencies: readonly string[];
}

export interface Lockfile {
  /** All entries of a name, in any spelling, highest version first. */
  named(name: string): readonly LockedCrate[];
  /** The folders of the project: entries without a source. */
  locals: readonly LockedCrate[];
  dependenciesOf(crate: LockedCrate): LockedCrate[];
}

/** `Cargo.lock` of a workspace's root, in any of its versions 1 to 4; undefined if it has none. */
export async function readLockfile(root: string): Promise<Lockfile | undefined> {
  const text = await readTextFile(path.join(root, "Cargo.lock"));
  return text === undefined ? undefined : parseLockfile(text);
}

/** The file is written by Cargo alone, always in one form: reading it as TOML takes many times longer. */
export function parseLockfile(text: string): Lockfile {
  // Version 1 has the checksums in a table of their own.
  const listed = new Map(
    [...text.matchAll(/^"checksum (\S+ \S+ \(.*\))" = "([0-9a-f]{64})"$/gm)].map(([, key = "", hash = ""]) => [
      key,
      hash,
    ]),
  );
  const tables = text.split(/^\[(?:\[package\]|root)\]\s*$/m).slice(1);
  const crates = tables.flatMap((table) => {
    const own = table.split(/^\[/m, 1)[0] ?? "";
    const field = (name: string) => new RegExp(`^${name} = "([^"]*)"`, "m").exec(own)?.[1];
    const [name = "", version = "", source] = [field("name"), field("version"), field("source")];
    // Both are parts of paths.
    if (!/^[\w-]+$/.test(name) || !/^\w[\w.+-]*$/.test(version)) return [];
    const list = /^dependencies = \[([^\]]*)\]/m.exec(own)?.[1] ?? "";
    const dependencies = [...list.matchAll(/"([^"]*)"/g)].map(([, dependency = ""]) => dependency);
    const checksum = field("checksum") ?? listed.get(`${name} ${version} (${source ?? ""})`);
    return [{ name, version, source, checksum, dependencies }];
  });
  const byName = new Map<string, LockedCrate[]>();
  for (const crate of crates.toSorted((a, b) => compareVersions(a.version, b.version))) {
    const key = normalizeName(crate.name);
    byName.set(key, [...(byName.get(key) ?? []), crate]);
  }
  const named = (name: string) => byName.get(normalizeName(name)) ?? [];
  const resolved = new Map<LockedCrate, LockedCrate[]>();
  return {
    named,
    locals: crates.filter(({ source }) => source === undefined),
    dependenciesOf(crate) {
      const known = resolved.get(crate);
      if (known !== undefined) return known;
      const dependencies = crate.dependencies.flatMap((dependency) => {
        const [, name = "", version, source] = /^(\S+)(?: (\S+))?(?: \((.*)\))?$/.exec(dependency) ?? [];
        const found = named(name).find(
          (it) =>
            it.name === name &&
            (version === undefined || it.version === version) &&
            (source === undefined || withoutCommit(it.source) === withoutCommit(source)),
        );
        return found === undefined ? [] : [found];
      });
      resolved.set(crate, dependencies);
      return dependencies;
    },
  };
}

/** The entries of a name that some crates use: those of the nearest level of dependencies that has any. */
export function usedBy(lock: Lockfile, crates: readonly LockedCrate[], name: string): LockedCrate[] {
  const seen = new Set(crates);
  let level = crates;
  while (level.length > 0) {
    const next = [...new Set(level.flatMap(lock.dependenciesOf))].filter((crate) => !seen.has(crate));
    const found = next.filter((crate) => normalizeName(crate.name) === normalizeName(name));
    if (found.length > 0) return found.toSorted((a, b) => compareVersions(a.version, b.version));
    for (const crate of next) seen.add(crate);
    level = next;
  }
  return [];
}

function withoutCommit(source: string | undefined): string | undefined {
  return source?.replace(/#.*$/, "");
}
