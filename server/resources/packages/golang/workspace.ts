import { CitewellError } from "../../../errors.ts";
import { GolangPath, nameOfModule } from "../../../protocol/kinds/golang.ts";
import { ResourceName } from "../../../protocol/resource-fields.ts";
import { stopWords } from "../../../source/words.ts";
import { chosenVersion } from "../chosen-version.ts";
import type { Dependencies, Dependency, NamedDependency, SkippedDependency } from "../dependencies.ts";
import { namedLimit } from "../named-in-text.ts";
import type { PackageLocation } from "../package-location.ts";
import { isWithin } from "./module-path.ts";
import { readGoProjects } from "./project.ts";
import { chooseVersion } from "./version-choice.ts";

/** The modules that the open projects require directly; undefined without a `go.mod`. */
export async function readDependencies(location: PackageLocation): Promise<Dependencies | undefined> {
  const projects = await readGoProjects(location);
  if (projects.length === 0) return undefined;
  const folderOf = new Map<string, string>();
  for (const { cwd, project } of projects) {
    const own = project.modules.map(({ manifest }) => manifest.module);
    for (const { path, isIndirect } of project.requires.values()) {
      if (!isIndirect && !own.includes(path) && !folderOf.has(path)) folderOf.set(path, cwd);
    }
  }
  const sorted = [...folderOf].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const all = await Promise.all(sorted.map(([path, cwd]) => describe(path, { cwd, location })));
  return { usable: all.filter((it) => "package" in it), skipped: all.filter((it) => "reason" in it) };
}

async function describe(
  path: string,
  { cwd, location }: { cwd: string; location: PackageLocation },
): Promise<Dependency | SkippedDependency> {
  if (!GolangPath.safeParse(path).success || !ResourceName.safeParse(nameOfModule(path)).success) {
    return { name: path, reason: "no resource can have this name" };
  }
  try {
    // Under its own path even where another module replaces it: that is what the project imports.
    const at = async (place: PackageLocation) => ({
      ...chosenVersion(await chooseVersion({ package: path }, place)),
      package: path,
    });
    const found = await at({ ...location, cwd });
    const usual = await at(location).catch(() => undefined);
    return { type: "golang", name: path, ...found, isUsual: usual?.version === found.version };
  } catch (error) {
    if (error instanceof CitewellError && error.tag === "PackageNotFound") return { name: path, reason: error.message };
    throw error;
  }
}

/** By its path, that of a package, or its last element: `cobra`, `spf13/cobra`, `github.com/spf13/cobra/doc`. */
export async function findNamedDependencies(text: string, location: PackageLocation): Promise<NamedDependency[]> {
  const words = [
    ...new Set(text.match(/(?<![\w/@.-])[A-Za-z0-9][\w./~-]*/g)?.map((word) => word.replace(/[./-]+$/, ""))),
  ];
  const found = new Map<string, NamedDependency>();
  for (const { cwd, project } of words.length === 0 ? [] : await readGoProjects(location)) {
    for (const { path, isIndirect } of project.requires.values()) {
      if (
        found.size >= namedLimit ||
        found.has(path) ||
        !words.some((word) => isNamed(path, { word, isIndirect, text }))
      )
        continue;
      const choice = await chooseVersion({ package: path }, { ...location, cwd }).catch(() => undefined);
      if (choice?.type === "installed")
        found.set(path, { type: "golang", name: path, version: choice.installed.version });
    }
  }
  return [...found.values()];
}

/**
 * A module that only others require is named by its path alone, and so are those of `golang.org/x`, whose last elements
 * are plain words.
 */
function isNamed(
  path: string,
  { word, isIndirect, text }: { word: string; isIndirect: boolean; text: string },
): boolean {
  if (isWithin(word, path)) return true;
  if (isIndirect) return false;
  const elements = path.replace(/\/v\d+$/, "").split("/");
  if (word.toLowerCase() === elements.slice(-2).join("/").toLowerCase()) return true;
  const name = nameOfModule(path);
  const isPlain = stopWords.has(name) || path.startsWith("golang.org/x/");
  return word.toLowerCase() === name.toLowerCase() && (!isPlain || text.includes(`\`${word}\``));
}
