import path from "node:path";
import { CitewellError } from "../../errors.ts";
import { type PackageType, packageTypes } from "../../protocol/kinds/names.ts";
import { cargoHome } from "./cargo/cargo-config.ts";
import { findStandardLibrary } from "./cargo/standard-library.ts";
import { ecosystems } from "./ecosystems.ts";
import { exists } from "./files.ts";
import { gemFolders } from "./gem/gem.ts";
import { findGoRoot, moduleCache, readGoEnv } from "./golang/go-env.ts";
import { readMavenConfig } from "./maven/maven-config.ts";
import { findProjectRoot } from "./npm/npm-places.ts";
import { foldersOf, type PackageLocation } from "./package-location.ts";
import { findEnvironments } from "./pypi/environments.ts";

/** Where an ecosystem keeps the packages of a project on this computer. */
export interface PlacesOnDisk {
  type: PackageType;
  /** In words, each with its absolute path; empty if nothing is installed. */
  places: string[];
}

/** The places of each ecosystem that the project around a folder has dependencies in. */
export async function findPlacesOnDisk(location: PackageLocation): Promise<PlacesOnDisk[]> {
  const found = await Promise.all(
    packageTypes.map(async (type) => {
      const near = await ecosystems[type].namesNear(location);
      const places = near.length === 0 ? undefined : await placesOf[type]?.(location);
      return places === undefined ? [] : [{ type, places }];
    }),
  );
  return found.flat();
}

const placesOf: { readonly [Type in PackageType]?: (location: PackageLocation) => Promise<string[]> } = {
  async npm({ cwd }) {
    return ifThere("", path.join(await findProjectRoot(cwd), "node_modules"));
  },
  async pypi(location) {
    return (await findEnvironments(location)).flatMap(({ sitePackages }) => sitePackages);
  },
  async cargo(location) {
    const registry = await ifThere("", path.join(cargoHome(location), "registry"));
    try {
      const library = await findStandardLibrary({ package: "std" }, location);
      return [...registry, ...(library === undefined ? [] : [`the standard library in ${library.installed.folder}`])];
    } catch (error) {
      if (!(error instanceof CitewellError)) throw error;
      return [...registry, `no standard library: ${error.message}`];
    }
  },
  async golang(location) {
    const root = await findGoRoot(location);
    return [
      ...(await ifThere("the module cache ", moduleCache(await readGoEnv(location), location))),
      ...(root === undefined ? [] : [`the standard library in ${path.join(root, "src")}`]),
    ];
  },
  async gem(location) {
    const folders = await gemFolders(foldersOf(location), location);
    return (await Promise.all(folders.map(({ folder }) => ifThere("", folder)))).flat();
  },
  async maven(location) {
    const { env, homeDirectory } = location;
    const { localRepository } = await readMavenConfig(location);
    const gradle = path.join(env["GRADLE_USER_HOME"] || path.join(homeDirectory, ".gradle"), "caches", "modules-2");
    return [
      ...(await ifThere("the local Maven repository ", localRepository)),
      ...(await ifThere("Gradle's cache ", gradle)),
    ];
  },
};

async function ifThere(label: string, folder: string): Promise<string[]> {
  return (await exists(folder)) ? [`${label}${folder}`] : [];
}
