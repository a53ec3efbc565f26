import { isExactVersion, isStandardLibrary } from "../../../protocol/kinds/packages.ts";
import { fromRegistry } from "../choices.ts";
import type { CachedChoice, PublishedChoice, RequestedPackage } from "../ecosystem.ts";
import { foldersOf, type PackageLocation } from "../package-location.ts";
import { findByClass } from "./classes.ts";
import { chooseJdk } from "./jdk.ts";
import type { Declared } from "./pom.ts";
import { type Build, findBrought, findProject, nameOf, openBuild, type Project, readProjects } from "./project.ts";

export type Choice = CachedChoice | PublishedChoice;

/**
 * The requested version, else the one that the nearest build names, else the highest on disk, which another dependency
 * brought, else `latest`. The sources are read from disk where they are there. A class means the dependency that has it,
 * or the JDK.
 * @throws PackageNotFound (the JDK has no source)
 */
export async function chooseVersion(requested: RequestedPackage, location: PackageLocation): Promise<Choice> {
  const builds = await openBuilds(location);
  const { package: written, version } = requested;
  const isClass = !written.includes(":");
  const name = isClass ? ((await findPackage(written, builds)) ?? written) : written;
  const jdk = isClass && name === written ? await chooseJdk(written, location) : undefined;
  if (jdk !== undefined) return jdk;
  if (version) {
    const isExact = isExactVersion(version);
    const origin = isExact ? "from the registry" : `${version} in the registry`;
    return chooseIn(builds[0], { name, version, origin });
  }
  return chooseUsual(name, builds);
}

async function findPackage(name: string, builds: readonly OpenBuild[]): Promise<string | undefined> {
  if (isStandardLibrary("maven", name)) return undefined;
  for (const build of builds) {
    const found = await findByClass(name, build, build.projects);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The builds around the working directory and in the other open projects, each read once. */
export async function openBuilds(location: PackageLocation): Promise<OpenBuild[]> {
  return Promise.all(
    foldersOf(location).map(async (cwd): Promise<OpenBuild> => {
      const folder = await findProject(cwd);
      const build = await openBuild({ ...location, cwd });
      return { ...build, folder, projects: folder === undefined ? [] : await readProjects(folder, build) };
    }),
  );
}

export interface OpenBuild extends Build {
  /** The folder of the nearest project; undefined if there is none. */
  folder: string | undefined;
  /** That project and its modules. */
  projects: readonly Project[];
}

/** The version of the builds, else the highest on disk, else the newest. */
export async function chooseUsual(name: string, builds: readonly OpenBuild[]): Promise<Choice> {
  for (const build of builds) {
    const choice = await chooseDeclared(name, build, build.projects);
    if (choice !== undefined) return choice;
  }
  const [group = "", artifact = ""] = name.split(":");
  for (const build of builds) {
    const [newest, ...others] = await build.local.versionsOf({ group, artifact });
    if (newest === undefined) continue;
    const origin = others.length === 0 ? "the version on disk" : `the newest of ${others.length + 1} versions on disk`;
    return chooseIn(build, { name, version: newest, origin });
  }
  return fromRegistry(name, undefined, { isExact: isExactVersion });
}

/** The version that projects of a build name; undefined if none does. */
export async function chooseDeclared(
  name: string,
  build: OpenBuild,
  projects: readonly Project[],
): Promise<Choice | undefined> {
  const declared = await findDeclared(name, build, projects);
  if (declared?.version === undefined) return undefined;
  const { version, file, through } = declared;
  const isExact = isExactVersion(version);
  const by = through === undefined ? file : `the POM of ${through}`;
  return chooseIn(build, { name, version, origin: `${isExact ? "from" : `${version} of`} ${by}`, isLocked: isExact });
}

/** What a project says about a dependency, else what its dependencies bring. */
async function findDeclared(
  name: string,
  build: OpenBuild,
  projects: readonly Project[],
): Promise<(Declared & { through?: string }) | undefined> {
  const all = projects.flatMap(({ dependencies, locked }) => [...dependencies, ...locked]);
  const declared = all.find((it) => nameOf(it) === name && it.version !== undefined);
  if (declared !== undefined) return declared;
  for (const project of projects) {
    for await (const brought of findBrought(project, build)) {
      if (nameOf(brought) === name && brought.version !== undefined) return brought;
    }
  }
  return undefined;
}

/** The sources on disk, else those of the repository. */
async function chooseIn(
  build: Build | undefined,
  { name, version, origin, isLocked }: { name: string; version: string; origin: string; isLocked?: boolean },
): Promise<Choice> {
  const [group = "", artifact = ""] = name.split(":");
  const found = await build?.local.findSources({ group, artifact, version });
  if (found === undefined) {
    return { type: "published", wanted: { name, version }, origin, ...(isLocked === undefined ? {} : { isLocked }) };
  }
  const { place, ...cached } = found;
  return { ...cached, origin: origin === "from the registry" ? `in ${place}` : `${origin}, in ${place}` };
}
