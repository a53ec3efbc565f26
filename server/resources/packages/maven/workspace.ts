import type { AskedFor, AskedForList, NearDependency } from "../ecosystem.ts";
import type { PackageLocation } from "../package-location.ts";
import { findProject, nameOf, openBuild, readProject } from "./project.ts";
import { chooseDeclared, chooseUsual, openBuilds } from "./version-choice.ts";

/** What the open projects and their modules depend on; undefined without a build file. */
export async function readDependencies(location: PackageLocation): Promise<AskedForList | undefined> {
  const builds = await openBuilds(location);
  if (builds.every(({ folder }) => folder === undefined)) return undefined;
  const projects = builds.flatMap((build) => build.projects.map((project) => ({ build, project })));
  const own = new Set(projects.map(({ project }) => project.pom && nameOf(project.pom.coordinates)));
  const asked = projects.flatMap(({ build, project }) =>
    project.dependencies.map(async (dependency): Promise<AskedFor> => {
      const name = nameOf(dependency);
      const choose = async () => (await chooseDeclared(name, build, [project])) ?? chooseUsual(name, builds);
      const reason = `the build takes ${name} from this workspace, not from a repository`;
      const { group, artifact, version = "" } = dependency;
      const isOwn = own.has(name) || (await build.findOwn({ group, artifact, version })) !== undefined;
      return isOwn ? { name, choose, reason } : { name, choose };
    }),
  );
  return { asked: await Promise.all(asked), usual: (name) => chooseUsual(name, builds) };
}

/** Those of the nearest project, without its modules. */
export async function namesNear(location: PackageLocation): Promise<NearDependency[]> {
  const folder = await findProject(location.cwd);
  if (folder === undefined) return [];
  const { dependencies } = await readProject(folder, await openBuild(location));
  return dependencies.filter(({ version }) => version !== undefined).map((it) => ({ name: nameOf(it) }));
}

/** By its artifact, also with the group: `jackson-databind`. */
export function nameTest(text: string): (dependency: NearDependency) => boolean {
  const words = new Set(text.match(/(?<![\w/@.-])[A-Za-z0-9_][\w.:-]*\w/g));
  return ({ name }) => words.has(name) || words.has(name.slice(name.indexOf(":") + 1));
}
