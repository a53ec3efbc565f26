import type { Config } from "../config/config.ts";
import { defaultResources } from "../protocol/default-resources.ts";
import { type DependencyList, PackageSpec } from "../protocol/resource.ts";
import { packageReference } from "../protocol/kinds/names.ts";
import { suggestName } from "../protocol/reference.ts";
import type { Nothing } from "../protocol/operations.ts";
import type { Dependencies, Dependency } from "../resources/packages/dependencies.ts";
import { ecosystems } from "../resources/packages/ecosystems.ts";
import type { Context } from "./context.ts";

/** The dependencies of the workspace, and which of them are configured. */
export async function listDependencies(_input: Nothing, { tenant }: Context): Promise<DependencyList> {
  return describeDependencies(await tenant.projects.dependencies(), tenant.config);
}

export function describeDependencies(
  found: Dependencies | undefined,
  config: Pick<Config, "resources">,
): DependencyList {
  if (found === undefined) return { dependencies: null };
  const isAdded = ({ type, package: real }: Dependency, name: string) =>
    config.resources.some(
      (spec) => (spec.type === type && spec.package === real) || (spec.name === name && !isDefault(spec)),
    );
  const taken = new Set<string>();
  const named = found.usable.map((dependency) => {
    const name = freeName(dependency, taken);
    taken.add(name);
    return { dependency, name };
  });
  return {
    dependencies: named.map(({ dependency, name }) => ({
      name,
      version: dependency.version ?? null,
      ...(dependency.wanted === undefined ? {} : { wanted: dependency.wanted }),
      isAdded: isAdded(dependency, name),
      spec: toSpec(dependency, name),
    })),
    ...(found.skipped.length === 0 ? {} : { skipped: [...found.skipped] }),
  };
}

/** The guide `typescript` is not what a project installs as `typescript`; the project's own file may reuse the name. */
function isDefault(spec: { name: string; url?: string | undefined }): boolean {
  return defaultResources.some((it) => it.name === spec.name && "url" in it && it.url === spec.url);
}

/** The name of its resource. If it is taken, another package has it: then it gets one with the ecosystem, or a number. */
function freeName({ type, name }: Dependency, taken: ReadonlySet<string>): string {
  const usual = suggestName({ type, canonical: packageReference(type, name), package: name });
  const others = [usual, `${type}-${usual}`, ...Array.from(taken, (_, at) => `${usual}-${at + 2}`)];
  return others.find((one) => !taken.has(one)) ?? usual;
}

/**
 * For the project's own file: a version is written only where it is not what the name means there anyway, and an exact
 * one that the manifest has. An alias whose version is written needs the real name.
 */
function toSpec(dependency: Dependency, name: string): PackageSpec {
  const { type, version, wanted, isUsual } = dependency;
  const isWritten = !isUsual || (wanted !== undefined && ecosystems[type].isExact(wanted));
  const written = isWritten ? (version ?? wanted) : undefined;
  return PackageSpec.parse({
    type,
    name,
    ...(written === undefined ? { package: dependency.name } : { package: dependency.package, version: written }),
  });
}
