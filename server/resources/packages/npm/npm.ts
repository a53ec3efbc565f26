import { isBuiltin } from "node:module";
import type { Ecosystem } from "../ecosystem.ts";
import { wordTest } from "../named-in-text.ts";
import { excludeNestedPackages } from "./installed.ts";
import { openNpmRegistry } from "./registry.ts";
import { chooseVersion, isExact } from "./version-choice.ts";
import { namesNear, readDependencies } from "./workspace.ts";

/** npm packages: `node_modules`, the lockfiles of npm, pnpm, yarn and bun, yarn's cache, and npm's configuration. */
export const npmEcosystem: Ecosystem = {
  type: "npm",
  choose: chooseVersion,
  isExact,
  openRegistry: openNpmRegistry,
  exclude: excludeNestedPackages,
  imports: {
    languages: ["js", "jsx", "ts", "tsx", "vue", "svelte", "astro"],
    packagesOf: (module) => (isBuiltin(module) ? [] : (/^(?:@[^/]+\/)?[^/]+/.exec(module) ?? [])),
  },
  dependencies: readDependencies,
  hasAliases: true,
  namesNear,
  nameTest: (text) => wordTest(text, { type: "npm", word: "@?[\\w~-][\\w.~-]*(?:/[\\w.~-]+)?" }),
};
