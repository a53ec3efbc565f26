import type { Ecosystem } from "../ecosystem.ts";
import { createCachedSource } from "./cached-source.ts";
import { excludeNestedPackages } from "./installed.ts";
import { openNpmRegistry } from "./registry.ts";
import { chooseVersion, isExact } from "./version-choice.ts";
import { findNamedDependencies, readDependencies } from "./workspace.ts";

/** npm packages: `node_modules`, the lockfiles of npm, pnpm, yarn and bun, yarn's cache, and npm's configuration. */
export const npmEcosystem: Ecosystem = {
  type: "npm",
  async choose(requested, location) {
    const choice = await chooseVersion(requested, location);
    return choice.type === "cached" ? { ...choice, source: createCachedSource(choice.cached) } : choice;
  },
  isExact,
  openRegistry: openNpmRegistry,
  exclude: excludeNestedPackages,
  dependencies: readDependencies,
  dependenciesNamedIn: findNamedDependencies,
};
