import path from "node:path";
import * as z from "zod";
import { readdir } from "node:fs/promises";
import { foldersUpFrom, projectPath, readJsonFile, readTextFile } from "../files.ts";
import { foldersOf, type PackageLocation } from "../package-location.ts";
import { type Element, elementsNamed, readXmlFile, textOf } from "../xml.ts";
import { lowestOf } from "./versions.ts";

/** A package that a project uses. */
export interface UsedPackage {
  /** As it is written: ids have no case. */
  name: string;
  /** Undefined for a range without a lowest version. */
  version: string | undefined;
  /** The file that says so. */
  file: string;
}

/** A project of MSBuild, or a folder with a `packages.config`. */
export interface NugetProject {
  name: string;
  folder: string;
  /** What the project itself names. */
  direct: ReadonlyMap<string, UsedPackage>;
  /** What it is built with, by the restored assets or the lock file; empty where there is neither. */
  resolved: ReadonlyMap<string, UsedPackage>;
  /** What each of these needs. Only the assets have it: those of a lock file are read where it is cited. */
  needs: readonly { owner: UsedPackage; name: string; wanted: string }[];
  /** The folders of the installed packages that the restore has used. */
  folders: readonly string[];
}

/** The key of an id. */
export function keyOf(name: string): string {
  return name.toLowerCase();
}

/** More projects than any solution has. */
const projectLimit = 500;

/** The projects around each open folder: those in the nearest folder with one, or of its solution. */
export async function readProjects(location: PackageLocation): Promise<NugetProject[]> {
  const found = await Promise.all(foldersOf(location).map(projectFiles));
  return Promise.all([...new Set(found.flat())].map(readProject));
}

async function projectFiles(cwd: string): Promise<string[]> {
  for (const folder of foldersUpFrom(cwd)) {
    const names = await readdir(folder).catch(() => []);
    const own = names.filter((name) => /\.(?:cs|fs|vb)proj$/i.test(name));
    const listed = own.length > 0 ? [] : await solutionProjects(folder, names);
    const config = names.filter((name) => name.toLowerCase() === "packages.config");
    const found = [...(own.length > 0 ? own : listed), ...(own.length > 0 || listed.length > 0 ? [] : config)];
    if (found.length > 0) return found.toSorted().map((name) => path.resolve(folder, name));
  }
  return [];
}

/** `Project("{…}") = "App", "src\App\App.csproj", "{…}"` of a `.sln`, `<Project Path="src/App/App.csproj" />` of a `.slnx`. */
async function solutionProjects(folder: string, names: readonly string[]): Promise<string[]> {
  const solutions = names.filter((name) => /\.slnx?$/i.test(name));
  const texts = await Promise.all(solutions.map((name) => readTextFile(path.join(folder, name))));
  const found = texts.flatMap((text) => text?.match(/(?<=")[^"\r\n]+\.(?:cs|fs|vb)proj(?=")/gi) ?? []);
  const paths = found.map((name) => projectPath(folder, name.replaceAll("\\", "/")));
  return [...new Set(paths.filter((file) => file !== undefined))].slice(0, projectLimit);
}

async function readProject(file: string): Promise<NugetProject> {
  const folder = path.dirname(file);
  const [direct, assets, lock] = await Promise.all([readDirect(file), readAssets(folder), readLock(folder)]);
  const locked = lock.size > 0;
  return {
    name: path.basename(file).toLowerCase() === "packages.config" ? path.basename(folder) : path.parse(file).name,
    folder,
    direct,
    resolved: assets.resolved.size > 0 ? assets.resolved : lock,
    needs: locked ? [] : assets.needs,
    folders: assets.folders,
  };
}

/** What the nearest projects name, for questions. */
export async function readNear(cwd: string): Promise<UsedPackage[]> {
  const files = await projectFiles(cwd);
  return (await Promise.all(files.map(readDirect))).flatMap((found) => [...found.values()]);
}

/**
 * `PackageReference` of the project and of the nearest `Directory.Build.props`, with the versions of the nearest
 * `Directory.Packages.props`; and `packages.config`. Conditions are not evaluated: all are listed.
 */
async function readDirect(file: string): Promise<Map<string, UsedPackage>> {
  const folder = path.dirname(file);
  const found = new Map<string, UsedPackage>();
  const central = await nearestXml(folder, "Directory.Packages.props");
  const build = await nearestXml(folder, "Directory.Build.props");
  const isProject = /proj$/i.test(file);
  const own = isProject ? await readXmlFile(file) : undefined;
  const properties = propertiesOf([build?.root, central?.root, own]);
  const versions = new Map(
    elementsNamed(central?.root, "PackageVersion").map((it) => [keyOf(nameIn(it)), versionIn(it, properties)]),
  );
  const add = (element: Element, by: string) => {
    const name = nameIn(element);
    if (!isId(name) || found.has(keyOf(name))) return;
    const inline = versionIn(element, properties);
    const version = lowestOf(inline ?? versions.get(keyOf(name)) ?? "");
    found.set(keyOf(name), { name, version, file: inline === undefined && central ? central.file : by });
  };
  for (const it of elementsNamed(own, "PackageReference")) add(it, path.basename(file));
  for (const it of elementsNamed(build?.root, "PackageReference")) add(it, "Directory.Build.props");
  for (const it of elementsNamed(central?.root, "GlobalPackageReference")) add(it, "Directory.Packages.props");
  const config = await readXmlFile(path.join(folder, "packages.config"));
  for (const it of elementsNamed(config, "package")) add(it, "packages.config");
  return found;
}

function nameIn({ attributes }: Element): string {
  return (attributes["Include"] ?? attributes["Update"] ?? attributes["id"] ?? "").trim();
}

function versionIn(element: Element, properties: Properties): string | undefined {
  const { attributes } = element;
  const written =
    attributes["VersionOverride"] ??
    attributes["Version"] ??
    attributes["version"] ??
    textOf(element, "VersionOverride") ??
    textOf(element, "Version");
  return fill(written, properties);
}

async function nearestXml(cwd: string, name: string): Promise<{ root: Element; file: string } | undefined> {
  for (const folder of foldersUpFrom(cwd)) {
    const root = await readXmlFile(path.join(folder, name));
    if (root !== undefined) return { root, file: name };
  }
  return undefined;
}

/** https://learn.microsoft.com/nuget/consume-packages/finding-and-choosing-packages: an id is part of paths. */
export function isId(text: string): boolean {
  return /^\w+(?:[.-]\w+)*$/.test(text) && text.length <= 100;
}

const Target = z.object({ dependencies: z.record(z.string(), z.string()).catch({}).default({}), type: z.string() });
const Assets = z.object({
  targets: z.record(z.string(), z.record(z.string(), z.unknown()).catch({})).catch({}).default({}),
  packageFolders: z.record(z.string(), z.unknown()).catch({}).default({}),
});

/** `obj/project.assets.json`, which a restore writes. */
async function readAssets(folder: string): Promise<Pick<NugetProject, "resolved" | "needs" | "folders">> {
  const parsed = Assets.safeParse(await readJsonFile(path.join(folder, "obj", "project.assets.json"))).data;
  const resolved = new Map<string, UsedPackage>();
  const needs = new Map<string, NugetProject["needs"][number]>();
  for (const target of Object.values(parsed?.targets ?? {})) {
    for (const [id, value] of Object.entries(target)) {
      const [name = "", version = ""] = id.split("/");
      const entry = Target.safeParse(value).data;
      if (entry === undefined || !isId(name)) continue;
      const owner = { name, version, file: "obj/project.assets.json" };
      if (entry.type === "package" && !resolved.has(keyOf(name))) resolved.set(keyOf(name), owner);
      for (const [needed, wanted] of Object.entries(entry.dependencies))
        needs.set(`${id} ${needed}`, { owner, name: needed, wanted });
    }
  }
  const folders = Object.keys(parsed?.packageFolders ?? {}).filter((one) => path.isAbsolute(one));
  return { resolved, needs: [...needs.values()], folders };
}

const Locked = z.object({ type: z.string(), resolved: z.string() });
const Lock = z.object({ dependencies: z.record(z.string(), z.record(z.string(), z.unknown()).catch({})) });

/** https://learn.microsoft.com/nuget/consume-packages/package-references-in-project-files#locking-dependencies */
async function readLock(folder: string): Promise<Map<string, UsedPackage>> {
  const parsed = Lock.safeParse(await readJsonFile(path.join(folder, "packages.lock.json"))).data;
  const found = new Map<string, UsedPackage>();
  for (const [name, value] of Object.values(parsed?.dependencies ?? {}).flatMap((one) => Object.entries(one))) {
    const { data } = Locked.safeParse(value);
    if (data === undefined || !isId(name) || found.has(keyOf(name))) continue;
    found.set(keyOf(name), { name, version: data.resolved, file: "packages.lock.json" });
  }
  return found;
}

type Properties = ReadonlyMap<string, string>;

/** The properties of MSBuild files, the later ones first decided; conditions are not evaluated. */
function propertiesOf(roots: readonly (Element | undefined)[]): Properties {
  const groups = roots.flatMap((root) => elementsNamed(root, "PropertyGroup"));
  return new Map(groups.flatMap(({ children }) => children.map((it) => [it.name.toLowerCase(), it.text.trim()])));
}

/** Properties of properties of properties: more is a circle. */
const depthLimit = 5;

/** A value with `$(Name)` replaced; undefined if a property is not known. */
function fill(text: string | undefined, properties: Properties, depth = 0): string | undefined {
  if (text === undefined || !text.includes("$(")) return text?.trim() || undefined;
  if (depth === depthLimit) return undefined;
  let isKnown = true;
  const filled = text.replaceAll(/\$\(([\w.]+)\)/g, (_, name: string) => {
    const value = properties.get(name.toLowerCase());
    isKnown &&= value !== undefined;
    return value ?? "";
  });
  return isKnown && filled.length < 200 ? fill(filled, properties, depth + 1) : undefined;
}
