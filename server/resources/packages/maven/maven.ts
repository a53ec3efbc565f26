import { isExactVersion } from "../../../protocol/kinds/packages.ts";
import type { Ecosystem } from "../ecosystem.ts";
import { dependentsOf } from "./dependents.ts";
import { openMavenRegistry } from "./registry.ts";
import { chooseVersion } from "./version-choice.ts";
import { namesNear, nameTest, readDependencies } from "./workspace.ts";

/** JVM packages: the POMs and repositories of Maven, the build files and cache of Gradle. */
export const mavenEcosystem: Ecosystem = {
  type: "maven",
  choose: chooseVersion,
  isExact: isExactVersion,
  openRegistry: openMavenRegistry,
  imports: {
    languages: ["java", "kotlin", "scala", "groovy"],
    packagesOf: (module, name) => [`${module}.${name}`],
  },
  dependentsOf,
  dependencies: readDependencies,
  namesNear,
  nameTest,
};
