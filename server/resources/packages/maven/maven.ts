import path from "node:path";
import { isExactVersion } from "../../../protocol/kinds/packages.ts";
import type { Ecosystem } from "../ecosystem.ts";
import { placeOnDisk } from "../files.ts";
import { dependentsOf } from "./dependents.ts";
import { readMavenConfig } from "./maven-config.ts";
import { openMavenRegistry } from "./registry.ts";
import { chooseVersion } from "./version-choice.ts";
import { namesNear, nameTest, readDependencies } from "./workspace.ts";

/** JVM packages: the POMs and repositories of Maven, the build files and cache of Gradle. */
export const mavenEcosystem: Ecosystem = {
  type: "maven",
  choose: chooseVersion,
  isExact: isExactVersion,
  openRegistry: openMavenRegistry,
  onDisk: {
    noun: "JVM packages",
    fix: "run mvn dependency:sources, so that they are read from disk",
    async places(location) {
      const { env, homeDirectory } = location;
      const { localRepository } = await readMavenConfig(location);
      const gradle = path.join(env["GRADLE_USER_HOME"] || path.join(homeDirectory, ".gradle"), "caches", "modules-2");
      return [
        ...(await placeOnDisk(localRepository, "the local Maven repository ")),
        ...(await placeOnDisk(gradle, "Gradle's cache ")),
      ];
    },
  },
  imports: {
    languages: ["java", "kotlin", "scala", "groovy"],
    packagesOf: (module, name) => [`${module}.${name}`],
  },
  dependentsOf,
  dependencies: readDependencies,
  namesNear,
  nameTest,
};
