import type { Config } from "../config/config.ts";
import { NpmResource } from "../protocol/kinds/npm.ts";
import type { DependencyList } from "../protocol/resource.ts";
import type { Nothing } from "../protocol/operations.ts";
import type { Dependency } from "../resources/npm/workspace.ts";
import type { Context } from "./context.ts";

/** The dependencies of the workspace, and which of them are configured. */
export async function listDependencies(_input: Nothing, { tenant }: Context): Promise<DependencyList> {
  return describeDependencies(await tenant.projects.dependencies(), tenant.config);
}

export function describeDependencies(
  dependencies: readonly Dependency[] | undefined,
  config: Pick<Config, "resources">,
): DependencyList {
  if (dependencies === undefined) return { dependencies: null };
  const isAdded = (name: string) =>
    config.resources.some((spec) => spec.name === name || (spec.type === "npm" && spec.package === name));
  return {
    dependencies: dependencies.map((dependency) => ({
      name: dependency.name,
      version: dependency.version ?? null,
      isAdded: isAdded(dependency.name),
      spec: toSpec(dependency),
    })),
  };
}

/** For the project's own file: a version is written only where it is not what the package means there anyway. */
function toSpec({ name, version, pinned, isUsual }: Dependency): NpmResource {
  const written = version === undefined ? pinned : isUsual ? undefined : version;
  return NpmResource.parse({
    type: "npm",
    name,
    package: name,
    ...(written === undefined ? {} : { version: written }),
  });
}
