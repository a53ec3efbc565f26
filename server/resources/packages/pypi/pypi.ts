import type { Ecosystem } from "../ecosystem.ts";
import { openPypiRegistry } from "./registry.ts";
import { excludeRecord } from "./installed.ts";
import { isExact } from "./pep440.ts";
import { chooseVersion } from "./version-choice.ts";
import { findNamedDependencies, readDependencies } from "./workspace.ts";

/** Python packages: virtual environments, lockfiles of uv, Poetry, PDM and pip, and the indexes of pip and uv. */
export const pypiEcosystem: Ecosystem = {
  type: "pypi",
  choose: chooseVersion,
  isExact,
  openRegistry: openPypiRegistry,
  exclude: excludeRecord,
  dependencies: readDependencies,
  dependenciesNamedIn: findNamedDependencies,
};
