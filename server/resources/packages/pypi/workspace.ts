import { CitewellError } from "../../../errors.ts";
import { PypiName } from "../../../protocol/kinds/pypi.ts";
import { ResourceName } from "../../../protocol/resource-fields.ts";
import { chosenVersion } from "../chosen-version.ts";
import type { Dependencies, Dependency, NamedDependency, SkippedDependency } from "../dependencies.ts";
import { isPlainWord, namedLimit } from "../named-in-text.ts";
import { foldersOf, type PackageLocation } from "../package-location.ts";
import { findManifestFolder, findMembers, readManifests } from "./declared.ts";
import { findInstalled } from "./installed.ts";
import { normalizeName } from "./names.ts";
import { chooseVersion } from "./version-choice.ts";

/** What the open projects and the packages of their uv workspaces depend on; undefined without a manifest. */
export async function readDependencies(location: PackageLocation): Promise<Dependencies | undefined> {
  const folderOf = new Map<string, { name: string; folder: string }>();
  let hasManifest = false;
  for (const cwd of foldersOf(location)) {
    const root = await findManifestFolder(cwd);
    if (root === undefined) continue;
    hasManifest = true;
    for (const folder of [root, ...(await findMembers(root))]) {
      for (const name of await namesIn(folder)) {
        if (!folderOf.has(normalizeName(name))) folderOf.set(normalizeName(name), { name, folder });
      }
    }
  }
  if (!hasManifest) return undefined;
  const sorted = [...folderOf].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, dependency]) => dependency);
  const all = await Promise.all(sorted.map((dependency) => describe(dependency, location)));
  return { usable: all.filter((it) => "package" in it), skipped: all.filter((it) => "reason" in it) };
}

async function namesIn(folder: string): Promise<string[]> {
  const manifests = await readManifests(folder);
  return manifests.flatMap(({ requirements }) =>
    requirements.filter((it) => it.isConstraint !== true).map(({ name }) => name),
  );
}

async function describe(
  { name, folder }: { name: string; folder: string },
  location: PackageLocation,
): Promise<Dependency | SkippedDependency> {
  if (!PypiName.safeParse(name).success || !ResourceName.safeParse(name).success) {
    return { name, reason: "no resource can have this name" };
  }
  try {
    const found = await choose(name, { ...location, cwd: folder });
    const usual = await choose(name, location).catch(() => undefined);
    return {
      type: "pypi",
      name,
      ...found,
      isUsual: usual?.version === found.version && usual?.wanted === found.wanted,
    };
  } catch (error) {
    if (error instanceof CitewellError && error.tag === "PackageNotFound") return { name, reason: error.message };
    throw error;
  }
}

/** An installed package goes by the name that the manifest writes. */
async function choose(name: string, location: PackageLocation): Promise<ReturnType<typeof chosenVersion>> {
  const choice = await chooseVersion({ package: name }, location);
  return choice.type === "installed" ? { ...chosenVersion(choice), package: name } : chosenVersion(choice);
}

/** Reads only the nearest manifests, and the environment for names that occur in them, because it runs with every question. */
export async function findNamedDependencies(text: string, location: PackageLocation): Promise<NamedDependency[]> {
  const words = new Set(
    text.match(/(?<![\w/@.-])[A-Za-z0-9][\w.-]*/g)?.map((word) => normalizeName(word.replace(/[.-]+$/, ""))),
  );
  const found = new Map<string, NamedDependency>();
  for (const cwd of foldersOf(location)) {
    const folder = await findManifestFolder(cwd);
    const names = folder === undefined ? [] : await namesIn(folder);
    for (const name of names.filter(
      (it) => words.has(normalizeName(it)) && !isPlainWord("pypi", it, text) && !found.has(it),
    )) {
      const installed = await findInstalled(name, { ...location, cwd });
      if (installed !== undefined) found.set(name, { type: "pypi", name, version: installed.version });
    }
  }
  return [...found.values()].slice(0, namedLimit);
}
