import path from "node:path";
import * as z from "zod";
import { CitewellError } from "../../../errors.ts";
import { PackageName } from "../../../protocol/kinds/npm.ts";
import { ResourceName } from "../../../protocol/resource-fields.ts";
import { findDeclared } from "./declared.ts";
import { chosenVersion } from "../chosen-version.ts";
import type { Dependencies, Dependency, NamedDependency, SkippedDependency } from "../dependencies.ts";
import { readJsonFile } from "../files.ts";
import { isPlainWord, namedLimit } from "../named-in-text.ts";
import { foldersOf, type PackageLocation } from "../package-location.ts";
import { findInstalled } from "./installed.ts";
import { findProjectRoot } from "./npm-places.ts";
import { chooseVersion } from "./version-choice.ts";
import { findMembers } from "./workspace-members.ts";

const Names = z.record(z.string(), z.unknown()).catch({});
const Manifest = z.object({
  name: z.string().optional().catch(undefined),
  dependencies: Names,
  devDependencies: Names,
  optionalDependencies: Names,
});
/**
 * The dependencies of the open projects' packages, by name, and those that cannot be a resource, with the reason.
 * Undefined without a `package.json`.
 */
export async function readDependencies(location: PackageLocation): Promise<Dependencies | undefined> {
  const found = await Promise.all(foldersOf(location).map((cwd) => readDependenciesAround({ ...location, cwd })));
  const lists = found.filter((list) => list !== undefined);
  if (lists.length === 0) return undefined;
  // The first project that depends on a package decides its version, as in `chooseVersion`.
  const byName = new Map(
    lists
      .flat()
      .toReversed()
      .map((dependency) => [dependency.name, dependency]),
  );
  const all = [...byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { usable: all.filter((it) => "package" in it), skipped: all.filter((it) => "reason" in it) };
}

/**
 * The installed dependencies of the open projects that a text names. Reads only the manifests of the working directory,
 * the other open projects and their workspace roots, because it runs with every question.
 */
export async function findNamedDependencies(text: string, location: PackageLocation): Promise<NamedDependency[]> {
  const words = new Set(text.match(/(?<![\w/@.-])@?[\w~-][\w.~-]*(?:\/[\w.~-]+)?/g)?.map(withoutFinalDots));
  const found = new Map<string, NamedDependency>();
  for (const folder of foldersOf(location)) {
    const manifests = await Promise.all([...new Set([folder, await findProjectRoot(folder)])].map(readManifest));
    const names = manifests.flatMap((manifest) => (manifest === undefined ? [] : namesIn(manifest)));
    for (const name of names.filter((name) => words.has(name) && !isPlainWord("npm", name, text) && !found.has(name))) {
      const installed = await findInstalled(name, { cwd: folder });
      if (installed !== undefined) found.set(name, { type: "npm", name, version: installed.version });
    }
  }
  return [...found.values()].slice(0, namedLimit);
}

function withoutFinalDots(word: string): string {
  return word.replace(/\.+$/, "");
}

function namesIn({ dependencies, devDependencies, optionalDependencies }: z.infer<typeof Manifest>): string[] {
  return Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies }).filter(isUsable);
}

async function readDependenciesAround(
  location: PackageLocation,
): Promise<(Dependency | SkippedDependency)[] | undefined> {
  const root = await findProjectRoot(location.cwd);
  if ((await readManifest(root)) === undefined) return undefined;
  const folders = [root, ...(await findMembers(root))];
  const manifests = await Promise.all(folders.map(async (folder) => ({ folder, ...(await readManifest(folder)) })));
  const ownNames = new Set(manifests.map(({ name }) => name));
  const folderOf = new Map<string, string>();
  for (const { folder, dependencies, devDependencies, optionalDependencies } of manifests) {
    for (const name of Object.keys({ ...devDependencies, ...dependencies, ...optionalDependencies })) {
      if (!folderOf.has(name)) folderOf.set(name, folder);
    }
  }
  return Promise.all(
    [...folderOf].map(async ([name, folder]) => {
      if (ownNames.has(name)) return { name, reason: "it is a package of this workspace" };
      if (!isUsable(name)) return { name, reason: "no resource can have this name" };
      return describe(name, { folder, location });
    }),
  );
}

/** Whether a package can be a resource of its own name. */
function isUsable(name: string): boolean {
  return PackageName.safeParse(name).success && ResourceName.safeParse(name).success;
}

async function describe(
  name: string,
  { folder, location }: { folder: string; location: PackageLocation },
): Promise<Dependency | SkippedDependency> {
  try {
    const found = await choose(name, { ...location, cwd: folder });
    const usual = await choose(name, location).catch(() => undefined);
    const isUsual =
      usual?.package === found.package && usual.version === found.version && usual.wanted === found.wanted;
    if (isUsual) return { type: "npm", name, ...found, isUsual };
    // Elsewhere, its version would name what the registry has under this name.
    const { specified, isPatched } = await findDeclared(name, { cwd: folder });
    const where = path.relative(location.cwd, folder) || ".";
    if (specified?.type === "elsewhere") return { name, reason: `only ${where} takes it from ${specified.origin}` };
    if (isPatched(found.version)) return { name, reason: `it is patched in ${where}` };
    return { type: "npm", name, ...found, isUsual };
  } catch (error) {
    if (error instanceof CitewellError && error.tag === "PackageNotFound") return { name, reason: error.message };
    throw error;
  }
}

async function choose(name: string, location: PackageLocation): Promise<ReturnType<typeof chosenVersion>> {
  return chosenVersion(await chooseVersion({ package: name }, location));
}

async function readManifest(folder: string): Promise<z.infer<typeof Manifest> | undefined> {
  return Manifest.safeParse(await readJsonFile(path.join(folder, "package.json"))).data;
}
