import { isBuiltin } from "node:module";
import path from "node:path";
import type { Ecosystem } from "../ecosystem.ts";
import { placeOnDisk } from "../files.ts";
import { wordTest } from "../named-in-text.ts";
import { excludeNestedPackages } from "./installed.ts";
import { findProjectRoot } from "./npm-places.ts";
import { openNpmRegistry } from "./registry.ts";
import { chooseVersion, isExact } from "./version-choice.ts";
import { namesNear, readDependencies } from "./workspace.ts";

/** npm packages: `node_modules`, the lockfiles of npm, pnpm, yarn and bun, yarn's cache, and npm's configuration. */
export const npmEcosystem: Ecosystem = {
  type: "npm",
  choose: chooseVersion,
  isExact,
  openRegistry: openNpmRegistry,
  onDisk: {
    noun: "npm packages",
    fix: "install them (npm install), so that they are read from disk",
    places: async ({ cwd }) => placeOnDisk(path.join(await findProjectRoot(cwd), "node_modules")),
  },
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
