import type { Ecosystem } from "../ecosystem.ts";
import { dependentsOf } from "./dependents.ts";
import { findEnvironments } from "./environments.ts";
import { distributionsOf } from "./import-names.ts";
import { openPypiRegistry } from "./registry.ts";
import { excludeRecord } from "./installed.ts";
import { wordTest } from "../named-in-text.ts";
import { normalizeName } from "./names.ts";
import { isExact } from "./pep440.ts";
import { chooseVersion } from "./version-choice.ts";
import { namesNear, readDependencies } from "./workspace.ts";

/** Python packages: virtual environments, lockfiles of uv, Poetry, PDM and pip, and the indexes of pip and uv. */
export const pypiEcosystem: Ecosystem = {
  type: "pypi",
  choose: chooseVersion,
  isExact,
  openRegistry: openPypiRegistry,
  onDisk: {
    noun: "Python packages",
    fix: "make an environment (uv sync, or python -m venv .venv) and install them",
    places: async (location) => (await findEnvironments(location)).flatMap(({ sitePackages }) => sitePackages),
  },
  exclude: excludeRecord,
  imports: { languages: ["python"], packagesOf: distributionsOf },
  dependentsOf,
  dependencies: readDependencies,
  namesNear,
  nameTest: (text) =>
    wordTest(text, { type: "pypi", word: "[A-Za-z0-9](?:[\\w.-]*[A-Za-z0-9])?", spell: normalizeName }),
};
