import { MavenName } from "../../../protocol/kinds/maven.ts";
import { ResourceName } from "../../../protocol/resource-fields.ts";
import { chosenVersion } from "../chosen-version.ts";
import type { Dependencies, Dependency, NamedDependency, SkippedDependency } from "../dependencies.ts";
import { namedLimit } from "../named-in-text.ts";
import { foldersOf, type PackageLocation } from "../package-location.ts";
import { findProject, nameOf, openBuild, type Project, readProject } from "./project.ts";
import { chooseDeclared, chooseUsual, openBuilds, type OpenBuild } from "./version-choice.ts";

/** What the open projects and their modules depend on; undefined without a build file. */
export async function readDependencies(location: PackageLocation): Promise<Dependencies | undefined> {
  const builds = await openBuilds(location);
  if (builds.every(({ folder }) => folder === undefined)) return undefined;
  const asking = new Map<string, { build: OpenBuild; project: Project }>();
  const own = new Set<string>();
  for (const build of builds) {
    for (const project of build.projects) {
      if (project.pom !== undefined) own.add(nameOf(project.pom.coordinates));
      for (const name of project.dependencies.map(nameOf)) {
        if (!asking.has(name)) asking.set(name, { build, project });
      }
    }
  }
  const sorted = [...asking].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const all = await Promise.all(
    sorted.map(async ([name, by]) => {
      if (!own.has(name)) return describe(name, { ...by, builds });
      return { name, reason: `the build takes ${name} from this workspace, not from a repository` };
    }),
  );
  return { usable: all.filter((it) => "package" in it), skipped: all.filter((it) => "reason" in it) };
}

async function describe(
  name: string,
  { build, project, builds }: { build: OpenBuild; project: Project; builds: readonly OpenBuild[] },
): Promise<Dependency | SkippedDependency> {
  const artifact = name.slice(name.indexOf(":") + 1);
  if (!MavenName.safeParse(name).success || !ResourceName.safeParse(artifact).success) {
    return { name, reason: "no resource can have this name" };
  }
  const usual = await chooseUsual(name, builds);
  const found = chosenVersion((await chooseDeclared(name, build, [project])) ?? usual);
  const isUsual = chosenVersion(usual).version === found.version && chosenVersion(usual).wanted === found.wanted;
  return { type: "maven", name, ...found, isUsual };
}

/**
 * The dependencies of the nearest projects that a text names, as `jackson-databind` or with the group. Modules are not
 * read, because it runs with every question.
 */
export async function findNamedDependencies(text: string, location: PackageLocation): Promise<NamedDependency[]> {
  const words = new Set(text.match(/(?<![\w/@.-])[A-Za-z0-9_][\w.:-]*\w/g));
  const found = new Map<string, NamedDependency>();
  for (const cwd of words.size === 0 ? [] : foldersOf(location)) {
    const folder = await findProject(cwd);
    if (folder === undefined) continue;
    const build = await openBuild({ ...location, cwd });
    const { dependencies } = await readProject(folder, build);
    for (const { group, artifact, version } of dependencies) {
      const name = `${group}:${artifact}`;
      if (version === undefined || found.has(name) || (!words.has(name) && !words.has(artifact))) continue;
      if ((await build.local.findSources({ group, artifact, version })) === undefined) continue;
      found.set(name, { type: "maven", name, version });
    }
  }
  return [...found.values()].slice(0, namedLimit);
}
