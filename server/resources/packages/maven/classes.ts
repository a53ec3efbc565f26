import { unpackedLimits } from "../unpack-limits.ts";
import { openZip } from "../zip.ts";
import type { Coordinates, Declared } from "./pom.ts";
import { type Build, findBrought, nameOf, type Project } from "./project.ts";

/**
 * The package, as `group:artifact`, whose JAR on disk has a class (`org.junit.Assert`, also one of its members or inner
 * classes) or is the only one with a Java package. The dependencies of the projects come before what they bring.
 */
export async function findByClass(
  name: string,
  build: Build,
  projects: readonly Project[],
): Promise<string | undefined> {
  const having = new Set<string>();
  const parts = name.split(".");
  for (const dependency of await collect(build, projects)) {
    const names = await entriesOf(dependency, build);
    for (let length = parts.length; length > 1; length--) {
      const stem = parts.slice(0, length).join("/");
      if (names.has(`${stem}.class`) || names.has(`${stem}.java`)) return nameOf(dependency);
    }
    if (names.has(`${parts.join("/")}/`)) having.add(nameOf(dependency));
  }
  const [only, ...others] = having;
  return others.length === 0 ? only : undefined;
}

async function collect(build: Build, projects: readonly Project[]): Promise<Declared[]> {
  const all = projects.flatMap(({ dependencies, locked }) => [...dependencies, ...locked]);
  for (const project of projects) for await (const brought of findBrought(project, build)) all.push(brought);
  const known = new Map(all.filter(({ version }) => version !== undefined).map((it) => [nameOf(it), it]));
  return [...known.values()];
}

/** The entries of its JAR and their folders; none if it is not on disk. */
async function entriesOf({ group, artifact, version = "" }: Declared, { local }: Build): Promise<Set<string>> {
  const coordinates: Coordinates = { group, artifact, version };
  const file = (await local.fileOf(coordinates, ".jar")) ?? (await local.fileOf(coordinates, "-sources.jar"));
  const names = new Set<string>();
  if (file === undefined) return names;
  try {
    await using zip = await openZip(file, { entryLimit: unpackedLimits.entries });
    for (const { path } of zip.entries) names.add(path).add(path.slice(0, path.lastIndexOf("/") + 1));
  } catch {
    // A broken archive has no classes.
  }
  return names;
}
