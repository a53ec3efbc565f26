import { stat } from "node:fs/promises";
import path from "node:path";
import { foldersUpFrom, projectPath } from "../files.ts";
import { foldersOf, type PackageLocation } from "../package-location.ts";
import { gradleFiles, includedFolders, readGradle } from "./gradle.ts";
import { type LocalRepositories, openLocalRepositories } from "./local-repository.ts";
import { type MavenConfig, readMavenConfig, type Repository } from "./maven-config.ts";
import { type Coordinates, createPomReader, type Declared, type Pom, readPom, type PomReader } from "./pom.ts";
import { type Element, elementsIn, textOf } from "../xml.ts";

/** The user's repositories on disk, and how POMs are found in them. */
export interface Build {
  config: MavenConfig;
  local: LocalRepositories;
  poms: PomReader;
  /** The POM of a project of the same tree; undefined for a package of a repository. */
  findOwn(coordinates: Coordinates): Promise<string | undefined>;
}

export async function openBuild(location: PackageLocation): Promise<Build> {
  const config = await readMavenConfig(location);
  const local = openLocalRepositories(location, config);
  const placeOf: PomReader["placeOf"] = async (coordinates) =>
    (await findOwn(coordinates)) ?? local.fileOf(coordinates, ".pom");
  const poms = createPomReader({ placeOf, properties: config.properties });
  const findOwn = createTreeFinder(location, poms);
  return { config, local, poms, findOwn };
}

/**
 * Finds POMs of the tree around a folder, which Maven takes before those of a repository. Modules are read only for groups
 * that begin as the root's: most of what POMs name is elsewhere.
 */
function createTreeFinder({ cwd, isAnonymous = false }: PackageLocation, { read }: Pick<PomReader, "read">) {
  const inherited = (pom: Element | undefined, name: string) => textOf(pom, name) ?? textOf(pom, "parent", name) ?? "";
  let outermost: Promise<string | undefined> | undefined;
  return async ({ group, artifact, version }: Coordinates): Promise<string | undefined> => {
    const root = isAnonymous ? undefined : await (outermost ??= outermostPom(cwd));
    const own = root === undefined ? "" : inherited(await read(root), "groupId");
    if (root === undefined || own === "" || !`${group}.`.startsWith(`${own}.`)) return undefined;
    const places = new Set([root]);
    for (const place of places) {
      const pom = await read(place);
      const written = inherited(pom, "version");
      const isSame = textOf(pom, "artifactId") === artifact && inherited(pom, "groupId") === group;
      if (isSame && (written === version || written.includes("${"))) return place;
      if (places.size > projectLimit) continue;
      for (const { text } of elementsIn(pom, "modules")) {
        const module = projectPath(path.dirname(place), text.trim());
        if (module !== undefined) places.add(module.endsWith(".xml") ? module : path.join(module, "pom.xml"));
      }
    }
    return undefined;
  };
}

/** The POM of the highest of the folders with one that lie directly above each other. */
async function outermostPom(cwd: string): Promise<string | undefined> {
  let root: string | undefined;
  for (const folder of foldersUpFrom(cwd)) {
    const file = path.join(folder, "pom.xml");
    if (await isFile(file)) root = file;
    else if (root !== undefined) break;
  }
  return root;
}

/** The nearest folder with a build file. */
export async function findProject(cwd: string): Promise<string | undefined> {
  for (const folder of foldersUpFrom(cwd)) {
    const found = await Promise.all(["pom.xml", ...gradleFiles].map((file) => isFile(path.join(folder, file))));
    if (found.includes(true)) return folder;
  }
  return undefined;
}

/** A project of a build: a folder with its own dependencies. */
export interface Project {
  folder: string;
  dependencies: readonly Declared[];
  /** What a lockfile has beside them. */
  locked: readonly Declared[];
  pom: Pom | undefined;
  repositories: readonly Repository[];
}

/** More than any real build has. */
const projectLimit = 1000;

/** The project of a folder, without its modules. */
export async function readProject(folder: string, { poms }: Pick<Build, "poms">): Promise<Project> {
  const pom = await readPom(path.join(folder, "pom.xml"), poms);
  const gradle = await readGradle(folder);
  const managed = await managedBy(gradle.platforms, poms);
  const ofGradle = gradle.dependencies.map((it) => ({
    ...it,
    ...(it.version === undefined ? managed.get(nameOf(it)) : {}),
  }));
  const dependencies = [...(pom?.dependencies ?? []), ...ofGradle];
  // A folder of the computer is not read because a project names it.
  const ofPom = (pom?.repositories ?? []).filter(({ url }) => !url.startsWith("file:"));
  return { folder, dependencies, locked: gradle.locked, pom, repositories: [...ofPom, ...gradle.repositories] };
}

/** The versions that platforms of a Gradle build set, as far as their POMs are on disk; the first that names one decides. */
async function managedBy(
  platforms: readonly Declared[],
  poms: PomReader,
): Promise<Map<string, Pick<Declared, "version" | "file">>> {
  const managed = new Map<string, Pick<Declared, "version" | "file">>();
  for (const { group, artifact, version } of platforms) {
    const place = version === undefined ? undefined : await poms.placeOf({ group, artifact, version });
    const bom = place === undefined ? undefined : await readPom(place, poms);
    for (const [name, set] of bom?.managed ?? []) {
      if (!managed.has(name)) managed.set(name, { version: set, file: `the BOM ${artifact} ${version}` });
    }
  }
  return managed;
}

/** The project and its modules, also those of modules. */
export async function readProjects(folder: string, build: Build): Promise<Project[]> {
  const projects: Project[] = [];
  const folders = new Set([folder]);
  for (const own of folders) {
    const project = await readProject(own, build);
    projects.push(project);
    if (folders.size > projectLimit) continue;
    // A module is a folder, or a file in one.
    const modules = (project.pom?.modules ?? []).map((module) => projectPath(own, module.replace(/[^/]*\.xml$/, "")));
    for (const place of [...modules, ...(await includedFolders(own))]) if (place !== undefined) folders.add(place);
  }
  return projects;
}

/** A dependency that another one brings, as Maven chooses it, and the one of the project that does. */
export interface Brought extends Declared {
  through: string;
}

/**
 * What the dependencies of a project bring, as far as their POMs are on disk: of several versions the nearest, at the
 * same distance the first, unless the project manages it.
 * https://maven.apache.org/guides/introduction/introduction-to-dependency-mechanism.html#Transitive_Dependencies
 */
export async function* findBrought({ dependencies, pom }: Project, { poms }: Build): AsyncGenerator<Brought> {
  const seen = new Set(dependencies.map(nameOf));
  const queue = dependencies.map((it) => ({ ...it, through: it.artifact, excluded: it.exclusions ?? [] }));
  for (const { group, artifact, version, through, excluded } of queue) {
    const place = version === undefined ? undefined : await poms.placeOf({ group, artifact, version });
    const found = place === undefined ? undefined : await readPom(place, poms);
    for (const dependency of found?.dependencies ?? []) {
      const name = nameOf(dependency);
      const isOwn = /^(?:test|provided|system)$/.test(dependency.scope ?? "") || dependency.isOptional === true;
      if (isOwn || seen.has(name) || excluded.some((it) => isExcluded(dependency, it))) continue;
      seen.add(name);
      const brought = { ...dependency, version: pom?.managed.get(name) ?? dependency.version, through };
      yield brought;
      queue.push({ ...brought, excluded: [...excluded, ...(dependency.exclusions ?? [])] });
    }
  }
}

export function nameOf({ group, artifact }: Pick<Declared, "group" | "artifact">): string {
  return `${group}:${artifact}`;
}

function isExcluded({ group, artifact }: Declared, exclusion: string): boolean {
  const [ofGroup, ofArtifact] = exclusion.split(":");
  return (ofGroup === "*" || ofGroup === group) && (ofArtifact === "*" || ofArtifact === artifact);
}

/** The repositories that the open projects name. */
export async function projectRepositories(location: PackageLocation): Promise<Repository[]> {
  const found: Repository[] = [];
  for (const cwd of foldersOf(location)) {
    const folder = await findProject(cwd);
    if (folder === undefined) continue;
    found.push(...(await readProject(folder, await openBuild({ ...location, cwd }))).repositories);
  }
  return found;
}

async function isFile(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined))?.isFile() === true;
}
