import { realpath } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import { exists, foldersUpFrom, projectPath, readJsonFile } from "../files.ts";
import { foldersOf, type PackageLocation } from "../package-location.ts";

/** https://getcomposer.org/doc/04-schema.md#name */
const PackageName = z.string().regex(/^[a-z0-9](?:[\w.-]*[a-z0-9])?\/[a-z0-9](?:[\w.-]*[a-z0-9])?$/i);

const Folders = z.union([z.string().transform((folder) => [folder]), z.array(z.string())]).catch([]);
const Prefixes = z.record(z.string(), Folders).catch({});

const Entry = z.object({
  name: PackageName,
  version: z.string().catch(""),
  "install-path": z.string().nullish().catch(undefined),
  source: z.object({ type: z.string(), url: z.string(), reference: z.string() }).optional().catch(undefined),
  dist: z.object({ type: z.string(), url: z.string() }).optional().catch(undefined),
  autoload: z
    .object({ "psr-4": Prefixes.default({}), "psr-0": Prefixes.default({}) })
    .optional()
    .catch(undefined),
  replace: z.record(z.string(), z.unknown()).optional().catch(undefined),
});

/** A package of `composer.lock` or `installed.json`. */
export type ComposerEntry = z.infer<typeof Entry>;

const Requirements = z.record(z.string(), z.unknown()).catch({});
const Manifest = z
  .object({
    require: Requirements.default({}),
    "require-dev": Requirements.default({}),
    config: z
      .object({ "vendor-dir": z.string().optional().catch(undefined) })
      .catch({})
      .default({}),
  })
  .catch({ require: {}, "require-dev": {}, config: {} });
const List = z.array(z.unknown()).catch([]).default([]);
const Lock = z.object({ packages: List, "packages-dev": List });
/** Composer 1 writes the list alone. */
const InstalledList = z.union([z.array(z.unknown()), z.object({ packages: List }).transform((it) => it.packages)]);

/** A folder with a `composer.json` or `composer.lock`. */
export interface ComposerProject {
  folder: string;
  /** What `composer.json` names, without PHP and its extensions. */
  direct: readonly string[];
  locked: readonly ComposerEntry[];
  /** The folder of the installed packages. */
  vendor: string;
  installed: readonly ComposerEntry[];
}

/** The nearest project of each open folder. */
export async function readProjects(location: PackageLocation): Promise<ComposerProject[]> {
  const found = await Promise.all(foldersOf(location).map((cwd) => readProject(cwd)));
  return found.filter((project) => project !== undefined);
}

async function readProject(cwd: string): Promise<ComposerProject | undefined> {
  const folder = await findProjectFolder(cwd);
  if (folder === undefined) return undefined;
  const manifest = await readManifest(folder);
  const vendor = vendorOf(folder, manifest);
  const lock = Lock.safeParse(await readJsonFile(path.join(folder, "composer.lock"))).data;
  const list = InstalledList.safeParse(await readJsonFile(path.join(vendor, "composer", "installed.json"))).data;
  return {
    folder,
    direct: directOf(manifest),
    locked: entriesOf([...(lock?.packages ?? []), ...(lock?.["packages-dev"] ?? [])]),
    vendor,
    installed: entriesOf(list ?? []),
  };
}

/** What the nearest `composer.json` names, and the folder of its packages; undefined without one. */
export async function readNearest(cwd: string): Promise<{ direct: string[]; vendor: string } | undefined> {
  const folder = await findProjectFolder(cwd);
  if (folder === undefined) return undefined;
  const manifest = await readManifest(folder);
  return { direct: directOf(manifest), vendor: vendorOf(folder, manifest) };
}

async function findProjectFolder(cwd: string): Promise<string | undefined> {
  for (const folder of foldersUpFrom(cwd)) {
    for (const file of ["composer.json", "composer.lock"]) if (await exists(path.join(folder, file))) return folder;
  }
  return undefined;
}

async function readManifest(folder: string): Promise<z.infer<typeof Manifest>> {
  return Manifest.parse(await readJsonFile(path.join(folder, "composer.json")));
}

function directOf(manifest: z.infer<typeof Manifest>): string[] {
  return Object.keys({ ...manifest.require, ...manifest["require-dev"] }).filter((name) => name.includes("/"));
}

function vendorOf(folder: string, { config }: z.infer<typeof Manifest>): string {
  return projectPath(folder, config["vendor-dir"] ?? "vendor") ?? path.join(folder, "vendor");
}

function entriesOf(list: readonly unknown[]): ComposerEntry[] {
  return list.flatMap((one) => Entry.safeParse(one).data ?? []);
}

/**
 * The real folder of an installed package. Installers may put it elsewhere in the project, and a repository of the type
 * `path` links it; undefined if it is not there, or a link leads out of all of these.
 */
export async function installedFolder(
  entry: ComposerEntry,
  { folder: project, vendor, locked }: ComposerProject,
): Promise<string | undefined> {
  const written = entry["install-path"] ?? `../${entry.name}`;
  const folder = await realFolder(projectPath(path.join(vendor, "composer"), written));
  if (folder === undefined) return undefined;
  const dist = locked.find(({ name }) => isSameName(name, entry.name))?.dist;
  const own = dist?.type === "path" ? await realFolder(projectPath(project, dist.url)) : undefined;
  if (folder === own) return folder;
  const roots = await Promise.all([vendor, project].map(realFolder));
  return roots.some((root) => root !== undefined && folder.startsWith(`${root}${path.sep}`)) ? folder : undefined;
}

export function isSameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

async function realFolder(folder: string | undefined): Promise<string | undefined> {
  return folder === undefined ? undefined : realpath(folder).catch(() => undefined);
}
