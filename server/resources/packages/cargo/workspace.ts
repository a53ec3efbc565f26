import { CitewellError } from "../../../errors.ts";
import { CrateName } from "../../../protocol/kinds/cargo.ts";
import { ResourceName } from "../../../protocol/resource-fields.ts";
import { chosenVersion } from "../chosen-version.ts";
import type { Dependencies, Dependency, NamedDependency, SkippedDependency } from "../dependencies.ts";
import { isPlainWord, namedLimit } from "../named-in-text.ts";
import { foldersOf, type PackageLocation } from "../package-location.ts";
import { type CargoProject, openProject } from "./manifest.ts";
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
  const usual = new Map<string, Promise<Chosen | undefined>>();
  const usualOf = (alias: string) => {
    const known = usual.get(alias) ?? choose(alias, workspaces).catch(() => undefined);
    usual.set(alias, known);
    return known;
  };
  for (const opened of workspaces.projects) {
    const members = await opened.project.members();
    const own = new Set(members.map(({ name }) => name));
    for (const crate of new Set([opened.project.crate, ...members])) {
      const around = { ...workspaces, projects: [{ ...opened, project: { ...opened.project, crate } }] };
      for (const { alias, name } of new Map(crate.dependencies.map((it) => [it.alias, it])).values()) {
        const reason = "it is a crate of this workspace";
        const described = own.has(name) ? { name: alias, reason } : describe(alias, { around, usualOf });
        found.set(alias, [...(found.get(alias) ?? []), Promise.resolve(described)]);
      }
    }
  }
  const sorted = [...found].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const all = (await Promise.all(sorted.map(async ([, each]) => distinct(await Promise.all(each))))).flat();
  return { usable: all.filter((it) => "package" in it), skipped: all.filter((it) => "reason" in it) };
}

type Chosen = ReturnType<typeof chosenVersion>;

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
  { around, usualOf }: { around: CargoWorkspaces; usualOf: (alias: string) => Promise<Chosen | undefined> },
): Promise<Dependency | SkippedDependency> {
  if (!CrateName.safeParse(name).success || !ResourceName.safeParse(name).success) {
    return { name, reason: "no resource can have this name" };
  }
  try {
    const found = await choose(name, around);
    const usual = await usualOf(name);
    const isUsual =
      usual?.package === found.package && usual.version === found.version && usual.wanted === found.wanted;
    return { type: "cargo", name, ...found, isUsual };
  } catch (error) {
    if (error instanceof CitewellError && error.tag === "PackageNotFound") return { name, reason: error.message };
    throw error;
  }
}

/** A crate goes by the name that the manifest writes, which is what the code uses. */
async function choose(name: string, workspaces: CargoWorkspaces): Promise<Chosen> {
  return chosenVersion(await chooseFrom({ package: name }, workspaces));
}

/**
 * Reads only the nearest manifest and its workspace's root, and more for names that occur in the text, because it runs
 * with every question.
 */
export async function findNamedDependencies(text: string, location: PackageLocation): Promise<NamedDependency[]> {
  const words = new Set(text.match(/(?<![\w/@.-])[A-Za-z][\w-]*/g)?.map(normalizeName));
  const found = new Map<string, NamedDependency>();
  for (const cwd of foldersOf(location)) {
    const project = await openProject(cwd);
    const names = project === undefined ? [] : await namesIn(project);
    const named = names.filter(
      (it) => words.has(normalizeName(it)) && !isPlainWord("cargo", it, text) && !found.has(it),
    );
    if (named.length === 0) continue;
    const workspaces = await openWorkspaces({ ...location, cwd, folders: [] });
    for (const name of named) {
      const choice = await chooseFrom({ package: name }, workspaces).catch(() => undefined);
      if (choice === undefined || choice.type === "published") continue;
      const { version } = choice.type === "installed" ? choice.installed : choice.cached;
      found.set(name, { type: "cargo", name, version });
    }
  }
  return [...found.values()].slice(0, namedLimit);
}

/** The dependencies of the crate around; of a workspace's root that is none, those of its crates, by the lockfile. */
async function namesIn({ crate, lock }: CargoProject): Promise<string[]> {
  if (crate.name !== undefined) return [...new Set(crate.dependencies.map(({ alias }) => alias))];
  const locals = (await lock())?.locals ?? [];
  const own = new Set(locals.map(({ name }) => name));
  const names = locals.flatMap(({ dependencies }) => dependencies.map((it) => it.replace(/ .*$/, "")));
  return [...new Set(names)].filter((name) => !own.has(name));
}
