import type { Config } from "../config/config.ts";
import { NpmResource } from "../protocol/kinds/npm.ts";
import type { DependencyList } from "../protocol/resource.ts";
import type { Nothing } from "../protocol/operations.ts";
import { isExact } from "../resources/packages/npm/version-choice.ts";
import type { Dependencies, Dependency } from "../resources/packages/dependencies.ts";
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
  const isAdded = (name: string) =>
    config.resources.some((spec) => spec.name === name || (spec.type === "npm" && spec.package === name));
  return {
    dependencies: found.usable.map((dependency) => ({
      name: dependency.name,
      version: dependency.version ?? null,
      ...(dependency.wanted === undefined ? {} : { wanted: dependency.wanted }),
      isAdded: isAdded(dependency.name),
      spec: toSpec(dependency),
    })),
    ...(found.skipped.length === 0 ? {} : { skipped: [...found.skipped] }),
  };
}

/**
 * For the project's own file: a version is written only where it is not what the name means there anyway, and an exact
 * one that `package.json` has. An alias whose version is written needs the real name.
 */
function toSpec({ name, package: real, version, wanted, isUsual }: Dependency): NpmResource {
  const written = isUsual && !(wanted !== undefined && isExact(wanted)) ? undefined : (version ?? wanted);
  return NpmResource.parse({
    type: "npm",
    name,
    ...(written === undefined ? { package: name } : { package: real, version: written }),
  });
}
