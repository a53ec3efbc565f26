import { CitewellError } from "../../../errors.ts";
import { CrateName } from "../../../protocol/kinds/cargo.ts";
import { ResourceName } from "../../../protocol/resource-fields.ts";
import { stopWords } from "../../../source/words.ts";
import { chosenVersion } from "../chosen-version.ts";
import type { Dependencies, Dependency, NamedDependency, SkippedDependency } from "../dependencies.ts";
import { foldersOf, type PackageLocation } from "../package-location.ts";
import { type Crate, openProject } from "./manifest.ts";
import { normalizeName } from "./names.ts";
import { type CargoWorkspaces, chooseFrom, openWorkspaces } from "./version-choice.ts";

/**
 * What the crates of the open projects' workspaces depend on; undefined without a manifest. A crate that they use at
 * several versions is listed at each, the others by a name with the version: `syn-1.0.109`.
 */
export async function readDependencies(location: PackageLocation): Promise<Dependencies | undefined> {
  const workspaces = await openWorkspaces(location);
  if (workspaces.projects.length === 0) return undefined;
  const found = new Map<string, Promise<Dependency | SkippedDependency>[]>();
  for (const opened of workspaces.projects) {
    const members = await opened.project.members();
    const own = new Set(members.map(({ name }) => name));
    for (const crate of new Set([opened.project.crate, ...members])) {
      const around = { ...workspaces, projects: [{ ...opened, project: { ...opened.project, crate } }] };
      for (const { alias, name } of new Map(crate.dependencies.map((it) => [it.alias, it])).values()) {
        const reason = "it is a crate of this workspace";
        const described = own.has(name) ? { name: alias, reason } : describe(alias, { around, workspaces });
        found.set(alias, [...(found.get(alias) ?? []), Promise.resolve(described)]);
      }
    }
  }
  const sorted = [...found].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const all = (await Promise.all(sorted.map(async ([, each]) => distinct(await Promise.all(each))))).flat();
  return { usable: all.filter((it) => "package" in it), skipped: all.filter((it) => "reason" in it) };
}

/** One of each version, the usual one first. */
function distinct(found: readonly (Dependency | SkippedDependency)[]): (Dependency | SkippedDependency)[] {
  const usable = found.filter((it) => "package" in it).toSorted((a, b) => Number(b.isUsual) - Number(a.isUsual));
  const byVersion = new Map(usable.toReversed().map((it) => [`${it.package} ${it.version} ${it.wanted}`, it]));
  const [first, ...others] = [...byVersion.values()].toReversed();
  if (first === undefined) return found.slice(0, 1);
  return [
    first,
    ...others.map((it) => (it.version === undefined ? [] : [{ ...it, name: `${it.name}-${it.version}` }])).flat(),
  ];
}

async function describe(
  name: string,
  { around, workspaces }: { around: CargoWorkspaces; workspaces: CargoWorkspaces },
): Promise<Dependency | SkippedDependency> {
  if (!CrateName.safeParse(name).success || !ResourceName.safeParse(name).success) {
    return { name, reason: "no resource can have this name" };
  }
  try {
    const found = await choose(name, around);
    const usual = await choose(name, workspaces).catch(() => undefined);
    const isUsual =
      usual?.package === found.package && usual.version === found.version && usual.wanted === found.wanted;
    return { type: "cargo", name, ...found, isUsual };
  } catch (error) {
    if (error instanceof CitewellError && error.tag === "PackageNotFound") return { name, reason: error.message };
    throw error;
  }
}

/** A crate goes by the name that the manifest writes, which is what the code uses. */
async function choose(name: string, workspaces: CargoWorkspaces): Promise<ReturnType<typeof chosenVersion>> {
  return chosenVersion(await chooseFrom({ package: name }, workspaces));
}

/** A text that names more dependencies is about dependencies in general. */
const namedLimit = 5;

/** Reads only the nearest manifest and its lockfile, and places on disk for names that occur in the text. */
export async function findNamedDependencies(text: string, location: PackageLocation): Promise<NamedDependency[]> {
  const words = new Set(text.match(/(?<![\w/@.-])[A-Za-z][\w-]*/g)?.map(normalizeName));
  const found = new Map<string, NamedDependency>();
  for (const cwd of foldersOf(location)) {
    const crate = (await openProject(cwd))?.crate;
    const names = crate === undefined ? [] : namesIn(crate);
    for (const name of names.filter((it) => words.has(normalizeName(it)) && !isPlainWord(it, text) && !found.has(it))) {
      const choice = await chooseFrom({ package: name }, await openWorkspaces({ ...location, cwd })).catch(
        () => undefined,
      );
      if (choice === undefined || choice.type === "published") continue;
      const { version } = choice.type === "installed" ? choice.installed : choice.cached;
      found.set(name, { type: "cargo", name, version });
    }
  }
  return [...found.values()].slice(0, namedLimit);
}

function namesIn({ dependencies }: Crate): string[] {
  return [...new Set(dependencies.map(({ alias }) => alias))];
}

/** Crates such as `once` count as named only in backticks or as `cargo:once`. */
function isPlainWord(name: string, text: string): boolean {
  return stopWords.has(name) && !text.includes(`\`${name}\``) && !text.includes(`cargo:${name}`);
}
