import { readdir } from "node:fs/promises";
import path from "node:path";
import { CitewellError } from "../../../errors.ts";
import type { CachedChoice, DependentsList, Ecosystem, RequestedPackage, VersionChoice } from "../ecosystem.ts";
import { fromRegistry } from "../choices.ts";
import { placeOnDisk } from "../files.ts";
import { wordTest } from "../named-in-text.ts";
import type { PackageLocation } from "../package-location.ts";
import { type Nuspec, readNuspec } from "./nuspec.ts";
import { isId, keyOf, type NugetProject, readNear, readProjects, type UsedPackage } from "./project.ts";
import { isVersion, normalizeVersion } from "./versions.ts";

/**
 * .NET packages: MSBuild projects, NuGet's lock file and restored assets, and the folder of installed packages. A package
 * has no source: it is read at the commit that its `.nuspec` names. No registry is asked.
 */
export const nugetEcosystem: Ecosystem = {
  type: "nuget",
  choose: async (requested, location) => chooseFrom(requested, await readProjects(location), location),
  isExact: isVersion,
  onDisk: {
    noun: ".NET packages",
    fix: "install them (dotnet restore)",
    places: async (location) => (await Promise.all(userFolders(location).map((it) => placeOnDisk(it)))).flat(),
  },
  imports: { languages: [], packagesOf: () => [] },
  dependentsOf,
  async dependencies(location) {
    const projects = await readProjects(location);
    if (projects.length === 0) return undefined;
    const asked = projects.flatMap((project) =>
      [...project.direct.values()].map(({ name }) => ({
        name,
        choose: () => chooseFrom({ package: name }, [project], location),
      })),
    );
    return { asked, usual: (name) => chooseFrom({ package: name }, projects, location) };
  },
  namesNear: ({ cwd }) => readNear(cwd),
  nameTest: (text) => wordTest(text, { type: "nuget", word: "\\w[\\w.-]*", spell: keyOf }),
};

/**
 * The requested version, else that of the first project which uses the package, else the highest that is installed.
 * @throws PackageNotFound (not installed, or it names no commit)
 */
async function chooseFrom(
  { package: name, version }: RequestedPackage,
  projects: readonly NugetProject[],
  location: PackageLocation,
): Promise<VersionChoice> {
  const used = projects.map((project) => usedIn(project, name)).find((it) => it !== undefined);
  const folders = [...new Set([...projects.flatMap((project) => project.folders), ...userFolders(location)])];
  const wanted = version || used?.version || (await highestInstalled(name, folders));
  if (wanted === undefined && used === undefined) return fromRegistry(name, version, { isExact: isVersion });
  const isPath = wanted !== undefined && isVersion(wanted);
  const found = isPath ? await readNuspec({ name, version: wanted }, folders) : undefined;
  if (found === undefined) {
    throw new CitewellError("PackageNotFound", `${name}${wanted === undefined ? "" : ` ${wanted}`} is not installed`, {
      hint: "run: dotnet restore; or add its repository as a resource",
    });
  }
  return choiceOf(found, version ? undefined : used);
}

function choiceOf({ name, version, commit, projectUrl }: Nuspec, used: UsedPackage | undefined): CachedChoice {
  if (commit === undefined) {
    throw new CitewellError(
      "PackageNotFound",
      `${name} ${version} has no source, and names no commit of its repository`,
      {
        hint: `add its repository as a resource${projectUrl === undefined ? "" : `: citewell add ${projectUrl}`}`,
      },
    );
  }
  const by = used === undefined ? "" : `from ${used.file}, `;
  const origin = `${by}${commit.url} at ${commit.commit.slice(0, 7)}`;
  return { type: "cached", cached: { name, version }, source: commit, origin };
}

function usedIn({ direct, resolved }: NugetProject, name: string): UsedPackage | undefined {
  return resolved.get(keyOf(name)) ?? direct.get(keyOf(name));
}

/** https://learn.microsoft.com/nuget/consume-packages/managing-the-global-packages-and-cache-folders */
function userFolders({ env, homeDirectory, isAnonymous = false }: PackageLocation): string[] {
  const named = env["NUGET_PACKAGES"] ?? "";
  const own = path.isAbsolute(named) ? named : path.join(homeDirectory, ".nuget", "packages");
  return isAnonymous ? [] : [own];
}

async function highestInstalled(name: string, folders: readonly string[]): Promise<string | undefined> {
  if (!isId(name)) return undefined;
  const found = await Promise.all(folders.map((folder) => readdir(path.join(folder, keyOf(name))).catch(() => [])));
  const versions = found.flat().filter(isVersion);
  const releases = versions.filter((version) => !version.includes("-"));
  return (releases.length > 0 ? releases : versions)
    .toSorted((a, b) => normalizeVersion(b).localeCompare(normalizeVersion(a), "en", { numeric: true }))
    .at(0);
}

/** By the restored assets; a lock file is read where it is cited. */
async function dependentsOf(name: string, location: PackageLocation): Promise<DependentsList | undefined> {
  const projects = await readProjects(location);
  const project = projects.find((one) => usedIn(one, name) !== undefined);
  const used = project === undefined ? undefined : usedIn(project, name);
  if (project === undefined || used === undefined || project.needs.length === 0) return undefined;
  const own = project.direct.get(keyOf(name));
  const direct =
    own === undefined ? [] : [{ name: project.name, version: undefined, wanted: own.version, file: own.file }];
  const others = project.needs
    .filter((it) => keyOf(it.name) === keyOf(name))
    .map(({ owner, wanted }) => ({ name: owner.name, version: owner.version, wanted, file: owner.file }));
  return { name: used.name, by: [...direct, ...others] };
}
