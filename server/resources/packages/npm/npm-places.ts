import type { Stats } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import { toAbsolutePath } from "../../../lib/absolute-path.ts";
import { foldersUpFrom } from "../files.ts";
import type { PackageLocation } from "../package-location.ts";
import { lookUp, type Npmrc } from "./npmrc.ts";
import { memberTest } from "./workspace-members.ts";

/** npm's local prefix: the nearest folder with a `package.json` or `node_modules`, or its workspace root. */
export async function findProjectRoot(cwd: string): Promise<string> {
  const nearest = await findAsync(foldersUpFrom(cwd), isProject);
  if (nearest === undefined) return cwd;
  const above = foldersUpFrom(nearest).slice(1);
  return (await findAsync(above, (folder) => hasWorkspace(folder, nearest))) ?? nearest;
}

/** npm's global file: configured by the user, else below the prefix of the `node` that npm would run on. */
export async function findGlobalFile(location: PackageLocation, own: readonly Npmrc[]): Promise<string | undefined> {
  const configured = lookUp(own, "globalconfig");
  if (configured !== undefined) return resolvePath(configured, location);
  const prefix = lookUp(own, "prefix") ?? location.env["PREFIX"] ?? (await defaultPrefix(location));
  return prefix === undefined ? undefined : path.join(resolvePath(prefix, location), "etc", "npmrc");
}

/** Resolves a path in npm's configuration as npm does. */
export function resolvePath(text: string, { cwd, homeDirectory }: PackageLocation): string {
  return toAbsolutePath(text, { folder: cwd, homeDirectory });
}

/** The editor has its own Node; npm runs on the one in PATH (on Windows, npm has a folder of its own). */
async function defaultPrefix({ env, platform }: PackageLocation): Promise<string | undefined> {
  if (platform === "win32") return env["APPDATA"] === undefined ? undefined : path.join(env["APPDATA"], "npm");
  const folders = (env["PATH"] ?? "").split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const folder = await findAsync(folders, (candidate) => isFile(path.join(candidate, "node")));
  return folder === undefined ? undefined : path.dirname(path.dirname(await realpath(path.join(folder, "node"))));
}

async function hasWorkspace(root: string, member: string): Promise<boolean> {
  return (await memberTest(root))?.(path.relative(root, member)) ?? false;
}

async function isProject(folder: string): Promise<boolean> {
  return (await isFile(path.join(folder, "package.json"))) || (await isFolder(path.join(folder, "node_modules")));
}

async function isFile(file: string): Promise<boolean> {
  return (await statIfThere(file))?.isFile() ?? false;
}

async function isFolder(folder: string): Promise<boolean> {
  return (await statIfThere(folder))?.isDirectory() ?? false;
}

async function statIfThere(file: string): Promise<Stats | undefined> {
  return stat(file).catch(() => undefined);
}

async function findAsync<Item>(
  items: readonly Item[],
  test: (item: Item) => Promise<boolean>,
): Promise<Item | undefined> {
  for (const item of items) if (await test(item)) return item;
  return undefined;
}
