import { stat } from "node:fs/promises";
import path from "node:path";
import { foldersUpFrom } from "../files.ts";
import { foldersOf, type PackageLocation } from "../package-location.ts";
import { type LocalRepositories, openLocalRepositories } from "./local-repository.ts";
import { type MavenConfig, readMavenConfig, type Repository } from "./maven-config.ts";
import { createPomReader, type Declared, type Pom, readPom, type PomReader } from "./pom.ts";

/** The user's repositories on disk, and how POMs are found in them. */
export interface Build {
  config: MavenConfig;
  local: LocalRepositories;
  poms: PomReader;
}

export async function openBuild(location: PackageLocation): Promise<Build> {
  const config = await readMavenConfig(location);
  const local = openLocalRepositories(location, config);
  const placeOf: PomReader["placeOf"] = (coordinates) => local.fileOf(coordinates, ".pom");
  return { config, local, poms: createPomReader({ placeOf, properties: config.properties }) };
}

/** The nearest folder with a build file. */
export async function findProject(cwd: string): Promise<string | undefined> {
  for (const folder of foldersUpFrom(cwd)) {
    const found = await Promise.all(["pom.xml"].map((file) => isFile(path.join(folder, file))));
    if (found.includes(true)) return folder;
  }
  return undefined;
}

/** A project of a build: a folder with its own dependencies. */
export interface Project {
  folder: string;
  dependencies: readonly Declared[];
  pom: Pom | undefined;
}

/** The project and its modules, also those of modules. */
export async function readProjects(folder: string, build: Build): Promise<Project[]> {
  const projects: Project[] = [];
  const files = [path.join(folder, "pom.xml")];
  const seen = new Set<string>();
  for (const file of files) {
    if (seen.has(file) || seen.size > 1000) continue;
    seen.add(file);
    const pom = await readPom(file, build.poms);
    if (pom === undefined) continue;
    projects.push({ folder: path.dirname(file), dependencies: pom.dependencies, pom });
    for (const module of pom.modules) {
      const place = path.resolve(path.dirname(file), module);
      files.push(module.endsWith(".xml") ? place : path.join(place, "pom.xml"));
    }
  }
  return projects;
}

/** The repositories that the open projects name. */
export async function projectRepositories(location: PackageLocation): Promise<Repository[]> {
  const found: Repository[] = [];
  for (const cwd of foldersOf(location)) {
    const folder = await findProject(cwd);
    if (folder === undefined) continue;
    const { poms } = await openBuild({ ...location, cwd });
    found.push(...((await readPom(path.join(folder, "pom.xml"), poms))?.repositories ?? []));
  }
  return found;
}

async function isFile(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined))?.isFile() === true;
}
