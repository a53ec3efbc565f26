import { isExactVersion } from "../../../protocol/kinds/maven.ts";
import type { CachedChoice, PublishedChoice, RequestedPackage } from "../ecosystem.ts";
import { foldersOf, type PackageLocation } from "../package-location.ts";
import type { Declared } from "./pom.ts";
import { type Build, findProject, openBuild, readProjects } from "./project.ts";

type Choice = CachedChoice | PublishedChoice;

/**
 * The requested version, else the one that the nearest build names, else the highest on disk, which another dependency
 * brought, else `latest`. The sources are read from disk where they are there.
 */
export async function chooseVersion(
  { package: name, version }: RequestedPackage,
  location: PackageLocation,
): Promise<Choice> {
  const [group = "", artifact = ""] = name.split(":");
  const builds = await Promise.all(
    foldersOf(location).map(async (cwd) => ({ cwd, build: await openBuild({ ...location, cwd }) })),
  );
  if (version) {
    const isExact = isExactVersion(version);
    return chooseIn(
      { name, version, origin: isExact ? "from the registry" : `${version} in the registry` },
      builds[0]?.build,
    );
  }
  for (const { cwd, build } of builds) {
    const declared = await findDeclared(name, cwd, build);
    if (declared?.version === undefined) continue;
    const isExact = isExactVersion(declared.version);
    const origin = `${isExact ? "from" : `${declared.version} of`} ${declared.file}`;
    return chooseIn({ name, version: declared.version, origin, isLocked: isExact }, build);
  }
  for (const { build } of builds) {
    const [newest, ...others] = await build.local.versionsOf({ group, artifact });
    if (newest === undefined) continue;
    const origin = others.length === 0 ? "the version on disk" : `the newest of ${others.length + 1} versions on disk`;
    return chooseIn({ name, version: newest, origin }, build);
  }
  return { type: "published", wanted: { name, version: "latest" }, origin: "latest in the registry" };
}

/** The sources on disk, else those of the repository. */
async function chooseIn(
  { name, version, origin, isLocked }: { name: string; version: string; origin: string; isLocked?: boolean },
  build: Build | undefined,
): Promise<Choice> {
  const [group = "", artifact = ""] = name.split(":");
  const found = await build?.local.findSources({ group, artifact, version });
  if (found === undefined) {
    return { type: "published", wanted: { name, version }, origin, ...(isLocked === undefined ? {} : { isLocked }) };
  }
  const { place, ...cached } = found;
  return { ...cached, origin: origin === "from the registry" ? `in ${place}` : `${origin}, in ${place}` };
}

/** What the nearest project says about a dependency, else one of its modules. */
async function findDeclared(name: string, cwd: string, build: Build): Promise<Declared | undefined> {
  const folder = await findProject(cwd);
  const projects = folder === undefined ? [] : await readProjects(folder, build);
  const all = projects.flatMap(({ dependencies }) => dependencies);
  return all.find((it) => `${it.group}:${it.artifact}` === name && it.version !== undefined);
}
