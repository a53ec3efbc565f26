import { MavenName } from "../../../protocol/kinds/maven.ts";
import { ResourceName } from "../../../protocol/resource-fields.ts";
import { chosenVersion } from "../chosen-version.ts";
import type { Dependencies, Dependency, NamedDependency, SkippedDependency } from "../dependencies.ts";
import { foldersOf, type PackageLocation } from "../package-location.ts";
import { findProject, openBuild, readProjects } from "./project.ts";
import { chooseVersion } from "./version-choice.ts";

/** What the open projects and their modules depend on; undefined without a build file. */
export async function readDependencies(location: PackageLocation): Promise<Dependencies | undefined> {
  const folderOf = new Map<string, string>();
  const own = new Set<string>();
  let hasProject = false;
  for (const cwd of foldersOf(location)) {
    const root = await findProject(cwd);
    if (root === undefined) continue;
    hasProject = true;
    const projects = await readProjects(root, await openBuild({ ...location, cwd }));
    for (const { folder, dependencies, pom } of projects) {
      if (pom !== undefined) own.add(`${pom.coordinates.group}:${pom.coordinates.artifact}`);
      for (const { group, artifact } of dependencies) {
        const name = `${group}:${artifact}`;
        if (!folderOf.has(name)) folderOf.set(name, folder);
      }
    }
  }
  if (!hasProject) return undefined;
  const sorted = [...folderOf].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const all = await Promise.all(
    sorted.map(async ([name, folder]) => {
      if (!own.has(name)) return describe(name, { folder, location });
      return { name, reason: `the build takes ${name} from this workspace, not from a repository` };
    }),
  );
  return { usable: all.filter((it) => "package" in it), skipped: all.filter((it) => "reason" in it) };
}

async function describe(
  name: string,
  { folder, location }: { folder: string; location: PackageLocation },
): Promise<Dependency | SkippedDependency> {
  const artifact = name.slice(name.indexOf(":") + 1);
  if (!MavenName.safeParse(name).success || !ResourceName.safeParse(artifact).success) {
    return { name, reason: "no resource can have this name" };
  }
  const found = chosenVersion(await chooseVersion({ package: name }, { ...location, cwd: folder }));
  const usual = chosenVersion(await chooseVersion({ package: name }, location));
  const isUsual = usual.version === found.version && usual.wanted === found.wanted;
  return { type: "maven", name, ...found, isUsual };
}

/** A text that names more dependencies is about dependencies in general. */
const namedLimit = 5;

/** The dependencies of the nearest projects that a text names, as `jackson-databind` or with the group. */
export async function findNamedDependencies(text: string, location: PackageLocation): Promise<NamedDependency[]> {
  const words = new Set(text.match(/(?<![\w/@.-])[A-Za-z0-9_][\w.:-]*\w/g));
  const found = new Map<string, NamedDependency>();
  for (const cwd of words.size === 0 ? [] : foldersOf(location)) {
    const folder = await findProject(cwd);
    if (folder === undefined) continue;
    const build = await openBuild({ ...location, cwd });
    const [project] = await readProjects(folder, build);
    for (const { group, artifact, version } of project?.dependencies ?? []) {
      const name = `${group}:${artifact}`;
      if (version === undefined || found.has(name) || (!words.has(name) && !words.has(artifact))) continue;
      if ((await build.local.findSources({ group, artifact, version })) === undefined) continue;
      found.set(name, { type: "maven", name, version });
    }
  }
  return [...found.values()].slice(0, namedLimit);
}
