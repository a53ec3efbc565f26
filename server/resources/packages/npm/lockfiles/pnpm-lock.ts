import semver from "semver";
import * as z from "zod";
import { ownValue } from "../../files.ts";
import { highest, type Locked, lockedOf, type LockfileQuestion } from "./lockfile.ts";
import { parseEntries, sectionOf } from "./yaml.ts";

/** Up to version 5, a dependency is its version; since version 6 it also has a specifier. */
const Dependencies = z
  .record(z.string(), z.union([z.string(), z.object({ version: z.string() }).transform(({ version }) => version)]))
  .catch({});
const kinds = ["dependencies", "devDependencies", "optionalDependencies"] as const;
const Importers = z
  .record(
    z.string(),
    z.object({ dependencies: Dependencies, devDependencies: Dependencies, optionalDependencies: Dependencies }),
  )
  .catch({});
const Packages = z
  .record(z.string(), z.object({ resolution: z.object({ integrity: z.string().optional() }).optional() }))
  .catch({});

const Patches = z.record(z.string(), z.unknown()).catch({});

/** `pnpm-lock.yaml` of versions 5 to 9: https://github.com/pnpm/spec/tree/master/lockfile */
export function readPnpmLock(text: string, { package: name, importer }: LockfileQuestion): Locked | undefined {
  const direct = directVersion(text, name, importer);
  if (direct !== undefined) return toLocked(text, name, direct);
  const keys = Object.keys(packagesOf(text, name)).filter((key) => splitKey(key)?.name === name);
  return highest(keys.map((key) => toLocked(text, name, key)));
}

/** `importers` has the folders of a workspace; a single project's dependencies may be at the top level. */
function directVersion(text: string, name: string, importer: string): string | undefined {
  const folder = importer === "" ? "." : importer;
  const lines = [`${folder}:`, `'${folder}':`, `"${folder}":`];
  const importers = Importers.parse(
    parseEntries(sectionOf(text, "importers"), { level: 2, isWanted: (line) => lines.includes(line.trim()) }),
  );
  const asking = ownValue(importers, folder);
  const isWanted = (line: string) => line.includes(name);
  return kinds
    .map((kind) => asking?.[kind] ?? Dependencies.parse(parseEntries(sectionOf(text, kind), { level: 2, isWanted })))
    .map((dependencies) => ownValue(dependencies, name))
    .find((version) => version !== undefined);
}

/** `4.0.0(react@18.0.0)`, `4.0.0_react@18.0.0`, or for an alias the key of another package. */
function toLocked(text: string, name: string, reference: string): Locked {
  // Versions contain no parenthesis or underscore: the peers begin there.
  const version = reference.replace(/[(_].*$/, "");
  const wanted = semver.valid(version) === null ? splitKey(reference) : { name, version };
  if (wanted === undefined) return lockedOf(name, reference, undefined);
  const found = Object.entries(packagesOf(text, wanted.name)).find(([key]) => {
    const split = splitKey(key);
    return split?.name === wanted.name && split.version === wanted.version;
  });
  if (isPatched(text, wanted)) return { type: "elsewhere", origin: "a patch" };
  return lockedOf(wanted.name, wanted.version, found?.[1].resolution?.integrity);
}

function isPatched(text: string, { name, version }: { name: string; version: string }): boolean {
  const section = sectionOf(text, "patchedDependencies");
  const keys = Object.keys(Patches.parse(parseEntries(section, { level: 2, isWanted: (line) => line.includes(name) })));
  return keys.some((key) => {
    const range = key.startsWith(`${name}@`) ? key.slice(name.length + 1) : undefined;
    return key === name || (range !== undefined && semver.satisfies(version, range));
  });
}

function packagesOf(text: string, name: string): z.infer<typeof Packages> {
  const section = sectionOf(text, "packages");
  return Packages.parse(parseEntries(section, { level: 2, isWanted: (line) => line.includes(name) }));
}

/** `zod@4.0.0` (9), `/zod@4.0.0` (6), `/zod/4.0.0` (5), with peers or without. */
function splitKey(key: string): { name: string; version: string } | undefined {
  const match = /^\/?((?:@[^/@]+\/)?[^/@:]+)[@/](\d[^(_]*)/.exec(key);
  return match?.[1] === undefined || match[2] === undefined ? undefined : { name: match[1], version: match[2] };
}
