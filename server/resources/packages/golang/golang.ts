import path from "node:path";
import type { Ecosystem } from "../ecosystem.ts";
import { placeOnDisk } from "../files.ts";
import { dependentsOf } from "./dependents.ts";
import { findGoRoot, moduleCache, readGoEnv } from "./go-env.ts";
import { isExact, pathAt } from "./module-path.ts";
import { openGolangRegistry } from "./registry.ts";
import { chooseVersion } from "./version-choice.ts";
import { namesNear, nameTest, readDependencies } from "./workspace.ts";

/** Go modules: `go.mod`, `go.work`, `vendor`, the module cache, module proxies, and the standard library. */
export const golangEcosystem: Ecosystem = {
  type: "golang",
  choose: chooseVersion,
  nameAt: pathAt,
  isExact,
  openRegistry: openGolangRegistry,
  onDisk: {
    noun: "Go modules",
    fix: "run go mod download, so that they are read from disk",
    async places(location) {
      const root = await findGoRoot(location);
      return [
        ...(await placeOnDisk(moduleCache(await readGoEnv(location), location), "the module cache ")),
        ...(root === undefined ? [] : [`the standard library in ${path.join(root, "src")}`]),
      ];
    },
  },
  imports: { languages: ["go"], packagesOf: (module) => [module] },
  dependentsOf,
  dependencies: readDependencies,
  namesNear,
  nameTest,
};
