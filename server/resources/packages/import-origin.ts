import { type PackageType, packageReference, packageTypes } from "../../protocol/kinds/names.ts";
import { CitewellError } from "../../errors.ts";
import { ecosystems } from "./ecosystems.ts";
import type { VersionChoice } from "./ecosystem.ts";
import type { PackageLocation } from "./package-location.ts";

/** A name that code takes from a module. */
export interface ImportedModule {
  /** As the import writes it: `yaml`, `github.com/gin-gonic/gin/binding`, `serde_json::value`. */
  module: string;
  /** The name that is imported from it. */
  name: string;
  /** The tag of the importing file's language. */
  language: string;
  /** The folder of the importing file, absolute. */
  folder: string;
}

/** The package that a module is of, at the version that the program uses. */
export interface ImportOrigin {
  type: PackageType;
  name: string;
  /** What opens it as a resource: `pypi:PyYAML`; undefined if it cannot be opened, as `origin` says. */
  reference: string | undefined;
  /** The installed or locked version; undefined if only a manifest names the package. */
  version: string | undefined;
  /** Where that is from: `installed in .venv`, `from Cargo.lock, in the registry's folder`. */
  origin: string;
  /** The real path of its folder, if it is read where it is. */
  folder: string | undefined;
}

/** The package that an import means to the project around a file; undefined if no file of the project names one. */
export async function findImportOrigin(
  { module, name, language, folder }: ImportedModule,
  location: PackageLocation,
): Promise<ImportOrigin | undefined> {
  const type = packageTypes.find((one) => ecosystems[one].imports.languages.includes(language));
  if (type === undefined || location.isAnonymous === true) return undefined;
  for (const wanted of ecosystems[type].imports.packagesOf(module, name)) {
    const found = await findPackageOrigin({ type, package: wanted }, { ...location, cwd: folder });
    if (found !== undefined) return asReferred(found, location);
  }
  return undefined;
}

/** As the working directory sees it; a reference has the version where it would mean another one there. */
async function asReferred(found: ImportOrigin, location: PackageLocation): Promise<ImportOrigin> {
  const { type, name, version } = found;
  const usual = await findPackageOrigin({ type, package: name }, location);
  if (usual?.name === name && usual.version === version) return usual;
  return version === undefined ? found : { ...found, reference: packageReference(type, name, version) };
}

/** The package of a name that a project uses; undefined if no file of the project names it. */
export async function findPackageOrigin(
  { type, package: wanted }: { type: PackageType; package: string },
  location: PackageLocation,
): Promise<ImportOrigin | undefined> {
  try {
    return describe(type, await ecosystems[type].choose({ package: wanted }, location));
  } catch (error) {
    if (!(error instanceof CitewellError)) throw error;
    // The project takes it from elsewhere, or it is of a standard library, and it is not on disk.
    return { type, name: wanted, reference: undefined, version: undefined, origin: error.message, folder: undefined };
  }
}

function describe(type: PackageType, choice: VersionChoice): ImportOrigin | undefined {
  const { origin } = choice;
  if (choice.type === "published") {
    const { name, version } = choice.wanted;
    // Nothing names it: then a registry would be asked for the newest version of that name.
    if (choice.isUnasked === true) return undefined;
    const known = choice.isLocked === true || ecosystems[type].isExact(version) ? version : undefined;
    return { type, name, reference: packageReference(type, name), version: known, origin, folder: undefined };
  }
  const { name, version } = choice.type === "installed" ? choice.installed : choice.cached;
  const folder = choice.type === "installed" ? choice.installed.folder : undefined;
  return { type, name, reference: packageReference(type, name), version, origin, folder };
}
