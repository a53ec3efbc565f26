import type { PackageType } from "../../protocol/kinds/names.ts";
import type { PackageReference, PackageResource } from "../../protocol/kinds/package.ts";
import { gitOf } from "../git/git-kind.ts";
import { type KindServices, type KindSource, namedTarget, policyOf } from "../kind-source.ts";
import type { RepositoryCommit } from "./ecosystem.ts";
import { ecosystems } from "./ecosystems.ts";
import { createPackages, type PackageSpec } from "./packages.ts";

/** Opens and refreshes packages of one ecosystem; server/protocol/kinds/packages.ts has their shapes. */
export function openPackageKind<Type extends PackageType>(
  type: Type,
): (services: KindServices) => KindSource<PackageResource<Type>, PackageReference<Type>> {
  return (services) => {
    const { refresh } = services;
    const commitSource = (commit: RepositoryCommit) => gitOf(services).commitSource(commit);
    const packages = createPackages(ecosystems[type], { ...services, commitSource });
    return {
      open: (target, options) => packages.open(toSpec(target), { ...policyOf(target, refresh), ...options }),
      openStored: (target, options) =>
        packages.openStored(toSpec(target), { isOneOff: policyOf(target, refresh).isOneOff, ...options }),
      refresh: (spec, options) => packages.refresh(toSpec(spec), options),
      listVersions: (target, { signal }) => packages.listVersions(toSpec(target), { signal }),
      describe: (spec, { signal }) => packages.describe(toSpec(spec), { ...policyOf(spec, refresh), signal }),
    };
  };
}

function toSpec(target: PackageResource<PackageType> | PackageReference<PackageType>): PackageSpec {
  return { ...namedTarget(target), package: target.package, version: target.version };
}
