import type { DependentsList } from "../ecosystem.ts";
import type { PackageLocation } from "../package-location.ts";
import { readPom } from "./pom.ts";
import { findBrought, nameOf } from "./project.ts";
import { openBuilds } from "./version-choice.ts";

/** The dependencies whose POM, in a local repository, has a package, and the projects that declare it. */
export async function dependentsOf(name: string, location: PackageLocation): Promise<DependentsList | undefined> {
  const by: DependentsList["by"][number][] = [];
  let found: string | undefined;
  for (const build of await openBuilds({ ...location, folders: [] })) {
    for (const project of build.projects) {
      const all = [...project.dependencies];
      for await (const brought of findBrought(project, build)) all.push(brought);
      const isWanted = (full: string) => full === name || full.endsWith(`:${name}`);
      const wanted = all.map(nameOf).find(isWanted);
      if (wanted === undefined) continue;
      found ??= wanted;
      const own = project.dependencies.find((it) => nameOf(it) === wanted);
      if (own !== undefined) {
        const coordinates = project.pom?.coordinates;
        by.push({
          name: coordinates ? nameOf(coordinates) : "the build",
          version: undefined,
          wanted: own.version,
          file: own.file,
        });
      }
      for (const { group, artifact, version } of all) {
        const place = version === undefined ? undefined : await build.poms.placeOf({ group, artifact, version });
        const pom = place === undefined ? undefined : await readPom(place, build.poms);
        const its = pom?.dependencies.find(
          (it) => nameOf(it) === wanted && it.scope !== "test" && it.isOptional !== true,
        );
        if (its !== undefined)
          by.push({ name: nameOf({ group, artifact }), version, wanted: its.version, file: "its POM" });
      }
    }
  }
  const once = [...new Map(by.map((one) => [`${one.name} ${one.version}`, one])).values()];
  return found === undefined ? undefined : { name: found, by: once };
}
