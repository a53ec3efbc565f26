import type { Ecosystem } from "../ecosystem.ts";
import { dependentsOf } from "./dependents.ts";
import { isExact } from "./module-path.ts";
import { openGolangRegistry } from "./registry.ts";
import { chooseVersion } from "./version-choice.ts";
import { namesNear, nameTest, readDependencies } from "./workspace.ts";

/** Go modules: `go.mod`, `go.work`, `vendor`, the module cache, module proxies, and the standard library. */
export const golangEcosystem: Ecosystem = {
  type: "golang",
  choose: chooseVersion,
  isExact,
  openRegistry: openGolangRegistry,
  imports: { languages: ["go"], packagesOf: (module) => [module] },
  dependentsOf,
  dependencies: readDependencies,
  namesNear,
  nameTest,
};
