import { packageTypes } from "../../protocol/kinds/names.ts";
import type { DependentsList } from "./ecosystem.ts";
import { ecosystems } from "./ecosystems.ts";
import { findPackageOrigin, type ImportOrigin } from "./import-origin.ts";
import type { PackageLocation } from "./package-location.ts";

/** A package that the project uses, and what asks for it. */
export interface UsedPackage {
  used: ImportOrigin;
  by: DependentsList["by"];
}

/** Who asks for a package, by the metadata on disk of what the open projects use, in every ecosystem. */
export async function findDependents(name: string, location: PackageLocation): Promise<UsedPackage[]> {
  if (location.isAnonymous === true) return [];
  const found = await Promise.all(
    packageTypes.map(async (type) => {
      const list = await ecosystems[type].dependentsOf?.(name, location);
      const used = list === undefined ? undefined : await findPackageOrigin({ type, package: list.name }, location);
      return list === undefined || used?.version === undefined ? [] : [{ used, by: list.by }];
    }),
  );
  return found.flat();
}
