import path from "node:path";
import semver from "semver";
import { exists, foldersUpFrom, readTextFile } from "../files.ts";
import { foldersOf, type PackageLocation } from "../package-location.ts";
import { moduleCache, readGoEnv } from "./go-env.ts";
import { type GoMod, parseGoMod, type Replacement, type Requirement } from "./go-mod.ts";

/** A module, or a workspace of several, as `go` would build it from a folder. */
export interface GoProject {
  /** The folder of `go.work`, else of `go.mod`. */
  folder: string;
  /** Its own modules. */
  modules: readonly GoModule[];
  /** What they require: of each module the highest version, by path. */
  requires: ReadonlyMap<string, ProjectRequirement>;
  /** Those of `go.work` first, which take precedence. */
  replaces: readonly (Replacement & { folder: string; file: string })[];
  /** The modules in `vendor`, by path, with the version of each. */
  vendored: ReadonlyMap<string, string>;
  /** The lines of `go.sum` and `go.work.sum`. */
  sums: ReadonlySet<string>;
}

export interface GoModule {
  folder: string;
  manifest: GoMod;
}

export interface ProjectRequirement extends Requirement {
  /** The version of the language of the module that requires it: `1.22`. */
  go: string | undefined;
}

/** The projects of the open folders and the folder of downloaded modules: read once for a list of dependencies. */
export interface GoWorkspaces {
  projects: readonly GoProject[];
  cache(): Promise<string>;
  location: PackageLocation;
}

export async function openGoWorkspaces(location: PackageLocation): Promise<GoWorkspaces> {
  let cache: Promise<string> | undefined;
  return {
    projects: await readGoProjects(location),
    cache: () => (cache ??= readGoEnv(location).then((goEnv) => moduleCache(goEnv, location))),
    location,
  };
}

/**
 * The projects around the open folders. It runs with every question, so Go's settings are read only where a file of Go's
 * or a variable of the environment makes a folder a project.
 */
export async function readGoProjects(location: PackageLocation): Promise<GoProject[]> {
  const asked = foldersOf(location).map(async (cwd) => {
    const files = foldersUpFrom(cwd).flatMap((folder) => [path.join(folder, "go.mod"), path.join(folder, "go.work")]);
    return location.env["GOWORK"] || (await Promise.all(files.map(exists))).includes(true) ? [cwd] : [];
  });
  const folders = (await Promise.all(asked)).flat();
  if (folders.length === 0) return [];
  const goWork = (await readGoEnv(location))("GOWORK");
  const read = await Promise.all(folders.map((cwd) => readGoProject(cwd, goWork)));
  return read.filter((project) => project !== undefined);
}

/** The project around a folder; undefined without a `go.mod`. `GOWORK` names the workspace's file, or is `off`. */
async function readGoProject(cwd: string, goWork: string): Promise<GoProject | undefined> {
  const workspace = goWork === "off" ? undefined : await findWorkspace(cwd, goWork);
  const nearest = await findModule(cwd);
  const members = workspace === undefined ? [] : await Promise.all(workspace.folders.map(readModule));
  const isMember = nearest === undefined || members.some((member) => member?.folder === nearest.folder);
  const modules = (isMember ? members : [nearest]).filter((module) => module !== undefined);
  if (modules.length === 0) return nearest === undefined ? undefined : describe(nearest.folder, [nearest]);
  return isMember && workspace !== undefined
    ? describe(workspace.folder, modules, workspace.manifest)
    : describe(modules[0]?.folder ?? cwd, modules);
}

async function describe(folder: string, modules: readonly GoModule[], workspace?: GoMod): Promise<GoProject> {
  const requires = new Map<string, ProjectRequirement>();
  for (const { manifest } of modules) {
    for (const requirement of manifest.requires) {
      const other = requires.get(requirement.path);
      const isHigher = other === undefined || semver.compare(requirement.version, other.version) > 0;
      const isIndirect = requirement.isIndirect && other?.isIndirect !== false;
      requires.set(requirement.path, { ...(isHigher ? { ...requirement, go: manifest.go } : other), isIndirect });
    }
  }
  const ofWorkspace = workspace?.replaces.map((replacement) => ({ ...replacement, folder, file: "go.work" })) ?? [];
  const ofModules = modules.flatMap((module) =>
    module.manifest.replaces.map((replacement) => ({ ...replacement, folder: module.folder, file: "go.mod" })),
  );
  const files = [path.join(folder, "go.work.sum"), ...modules.map((module) => path.join(module.folder, "go.sum"))];
  const sums = await Promise.all(files.map(readTextFile));
  return {
    folder,
    modules,
    requires,
    replaces: [...ofWorkspace, ...ofModules],
    vendored: readVendored((await readTextFile(path.join(folder, "vendor", "modules.txt"))) ?? ""),
    sums: new Set(sums.flatMap((text) => text?.split(/\r?\n/) ?? [])),
  };
}

/** `# <module> <version>[ => …]` */
function readVendored(text: string): Map<string, string> {
  return new Map([...text.matchAll(/^# (\S+) (v\S+)/gm)].map(([, module = "", version = ""]) => [module, version]));
}

async function findModule(cwd: string): Promise<GoModule | undefined> {
  for (const folder of foldersUpFrom(cwd)) {
    const module = await readModule(folder);
    if (module !== undefined) return module;
  }
  return undefined;
}

async function readModule(folder: string): Promise<GoModule | undefined> {
  const text = await readTextFile(path.join(folder, "go.mod"));
  if (text === undefined) return undefined;
  return { folder, manifest: parseGoMod(text) };
}

async function findWorkspace(
  cwd: string,
  goWork: string,
): Promise<{ folder: string; folders: string[]; manifest: GoMod } | undefined> {
  const files =
    goWork === "" ? foldersUpFrom(cwd).map((folder) => path.join(folder, "go.work")) : [path.resolve(cwd, goWork)];
  for (const file of files) {
    const text = await readTextFile(file);
    if (text === undefined) continue;
    const [folder, manifest] = [path.dirname(file), parseGoMod(text)];
    return { folder, folders: manifest.uses.map((use) => path.resolve(folder, use)), manifest };
  }
  return undefined;
}
